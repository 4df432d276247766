"""Frozen dataclasses to JSON and back: the form in which results are kept and rendered again."""

import dataclasses
import json
import types
from typing import Any, Self, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class JSONRecord:
    """A frozen dataclass that is written as JSON; its first field is `schema`, whose default names the format."""

    schema: str

    def to_json(self) -> str:
        """Return the record as JSON, fields in their order."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False, allow_nan=False, indent=1)  # type: ignore[call-overload]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the record that `to_json` wrote, or raise a ValueError that says what came instead."""
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"a puselect result must be JSON, got text that is not: {error}") from error
        found = data.get("schema") if isinstance(data, dict) else None
        if found != cls.schema:
            raise ValueError(f"wanted a result with the schema {cls.schema!r}, got {found!r}")
        try:
            revived: Self = _revive(cls, data)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"this {cls.schema!r} is incomplete or damaged: {error!r}") from error
        return revived


def _revive(kind: Any, value: Any) -> Any:
    """Return plain JSON data as a value of the annotated kind."""
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{f.name: _revive(hints[f.name], value[f.name]) for f in dataclasses.fields(kind)})  # type: ignore[operator]
    if get_origin(kind) in (Union, types.UnionType):
        if type(value) in get_args(kind):
            return value
        inner = next(arm for arm in get_args(kind) if arm is not type(None))
        return _revive(inner, value)
    if get_origin(kind) is tuple:
        return tuple(_revive(get_args(kind)[0], item) for item in value)
    if get_origin(kind) is dict:
        return {key: _revive(get_args(kind)[1], item) for key, item in value.items()}
    return kind(value)
