"""Results as JSON and back: strict reading, so that a damaged file is one clear error and never a broken page."""

import dataclasses
import json
import math
import re
import types
from collections.abc import Callable, Iterable, Sized
from typing import Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

LARGEST_INTEGER = 2**63
Kind = TypeVar("Kind")


class JSONRecord:
    """A frozen dataclass written as JSON.

    Its first field is `schema`, whose default names the format and its version, such as "puselect.selection/3". A
    field that is added later needs a default; unknown fields are ignored.
    """

    schema: str

    def to_json(self) -> str:
        """Return the record as JSON, fields in their order."""
        text = json.dumps(dataclasses.asdict(self), ensure_ascii=False, allow_nan=False, indent=1)  # type: ignore[call-overload]
        return re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text)  # a terminal would obey them

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the record that `to_json` wrote; a ValueError for anything else."""
        return cls.from_data(parse(text))

    @classmethod
    def from_data(cls, data: dict[str, object]) -> Self:
        """Return the record from parsed JSON."""
        if data.get("schema") != cls.schema:
            raise ValueError(f"expected a result with the schema {cls.schema!r}, got {_shown(data.get('schema'))}")
        return cast(Self, decode(cls, data, "result"))


def parse(text: str) -> dict[str, object]:
    """Return the object that a JSON text holds; a ValueError for anything else."""
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ValueError(f"not JSON as puselect writes it: {reason}") from error
    if not isinstance(data, dict):
        raise ValueError(f"not a result of puselect: expected a JSON object, got {_shown(data)}")
    return data


def decode(kind: object, value: object, place: str) -> object:
    """Return parsed JSON as a value of the annotated kind, or raise a ValueError that names the place."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _record(kind, value, place)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _alternative(arguments, value, place)
    if origin is tuple:
        items = _expect(list, value, place)
        return tuple(decode(arguments[0], item, f"{place}[{i}]") for i, item in enumerate(items))
    if origin is dict:
        entries = _expect(dict, value, place).items()
        return {_text(key, place): decode(arguments[1], item, f"{place}.{_shown(key)}") for key, item in entries}
    return SCALARS[kind](value, place)


def require(holds: bool, what: str) -> None:
    """Raise a ValueError that says what a record must satisfy, unless it does."""
    if not holds:
        raise ValueError(what)


def same_length(*columns: Sized) -> bool:
    """Return whether columns belong together."""
    return len({len(column) for column in columns}) <= 1


def within(values: Iterable[float | None], low: float, high: float = math.inf) -> bool:
    """Return whether all values that are there lie in [low, high]."""
    return all(value is None or low <= value <= high for value in values)


def _record(kind: type, value: object, place: str) -> object:
    data, hints, fields = _expect(dict, value, place), get_type_hints(kind), {}
    for field in dataclasses.fields(kind):
        if field.name in data:
            fields[field.name] = decode(hints[field.name], data[field.name], f"{place}.{field.name}")
        elif field.default is dataclasses.MISSING:
            raise ValueError(f"damaged result: {place} has no {field.name!r}")
    record = kind(**fields)
    try:
        getattr(record, "check", lambda: None)()
    except ValueError as error:
        raise ValueError(f"damaged result: {place}: {error}") from None
    return record


def _alternative(kinds: tuple[object, ...], value: object, place: str) -> object:
    """Return the value as the first kind of a union that takes it."""
    if value is None and type(None) in kinds:
        return None
    others = [kind for kind in kinds if kind is not type(None)]
    matching = [kind for kind in others if kind is type(value)]
    return decode((matching or others)[0], value, place)


def _expect(kind: type[Kind], value: object, place: str) -> Kind:
    if not isinstance(value, kind):
        nouns: dict[type, str] = {list: "a list", dict: "an object", str: "a string", bool: "true or false"}
        raise ValueError(f"damaged result: {place} must be {nouns[kind]}, got {_shown(value)}")
    return value


def _text(value: object, place: str) -> str:
    text = _expect(str, value, place)
    if any("\ud800" <= letter <= "\udfff" for letter in text):  # half of a pair: cannot be written as UTF-8
        raise ValueError(f"damaged result: {place} must be valid Unicode, got {_shown(text)}")
    return text


def _integer(value: object, place: str) -> int:
    if type(value) is not int or abs(value) >= LARGEST_INTEGER:
        raise ValueError(f"damaged result: {place} must be an integer of 64 bits, got {_shown(value)}")
    return value


def _number(value: object, place: str) -> float:
    if type(value) is int and abs(value) < LARGEST_INTEGER:
        return float(value)
    if type(value) is not float or not math.isfinite(value):
        raise ValueError(f"damaged result: {place} must be a finite number, got {_shown(value)}")
    return value


def _boolean(value: object, place: str) -> bool:
    return bool(_expect(bool, value, place))


SCALARS: dict[object, Callable[[object, str], object]] = {str: _text, int: _integer, float: _number, bool: _boolean}


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _shown(value: object) -> str:
    """Return a value for a message of one line."""
    text = f"a {type(value).__name__}" if isinstance(value, list | dict) else ascii(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
