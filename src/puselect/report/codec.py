"""Results as JSON and back. Each file holds a digest of its content, so that a damaged one is one clear error."""

import dataclasses
import hashlib
import json
import re
import types
from typing import Self, Union, cast, get_args, get_origin, get_type_hints


class JSONRecord:
    """A frozen dataclass written as JSON.

    Its first field is `schema`, whose default names the format and its version, such as "puselect.selection/5". A
    field that is added later needs a default; unknown fields are ignored.
    """

    schema: str

    def to_json(self) -> str:
        """Return the record as JSON, fields in their order, and the digest of all of them."""
        data = dataclasses.asdict(self)  # type: ignore[call-overload]
        text = json.dumps(data | {"digest": _digest(data)}, ensure_ascii=False, allow_nan=False, indent=1)
        return re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text)  # a terminal would obey them

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the record that `to_json` wrote; a ValueError for anything else."""
        return cls.from_data(parse(text))

    @classmethod
    def from_data(cls, data: dict[str, object]) -> Self:
        """Return the record from parsed JSON."""
        schema = data.get("schema")
        if schema != cls.schema:
            raise ValueError(f"expected a result with the schema {cls.schema!r}, got {ascii(schema)[:40]}")
        if data.get("digest") != _digest(data):
            raise ValueError("damaged result: the file was changed after puselect wrote it")
        return cast(Self, _decoded(cls, data))


def parse(text: str) -> dict[str, object]:
    """Return the object that a JSON text holds; a ValueError for anything else."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ValueError(f"not JSON as puselect writes it: {reason}") from error
    if not isinstance(data, dict):
        raise ValueError(f"not a result of puselect: expected a JSON object, got a {type(data).__name__}")
    return data


def _digest(data: dict[str, object]) -> str:
    """Return the hash of all fields but the digest; layout and order of the file do not matter."""
    content = {name: value for name, value in data.items() if name != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _decoded(kind: object, value: object) -> object:
    """Return parsed JSON as a value of the annotated kind."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType) and value is not None:
        kinds = [each for each in arguments if each is not type(None)]
        return _decoded(type(value) if type(value) in kinds else kinds[0], value)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind) and isinstance(value, dict):
        hints = get_type_hints(kind)
        known = {field.name for field in dataclasses.fields(kind)}
        return kind(**{name: _decoded(hints[name], item) for name, item in value.items() if name in known})
    if origin is tuple and isinstance(value, list):
        return tuple(_decoded(arguments[0], item) for item in value)
    if origin is dict and isinstance(value, dict):
        return {name: _decoded(arguments[1], item) for name, item in value.items()}
    return value
