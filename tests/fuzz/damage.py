"""Ways in which files go bad: bytes, and values in trees of lists and dicts."""

import copy
import json
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]

ODD_VALUES = [
    None, True, False, 0, -1, 1, 2, 3.5, -0.0, 1e-320, 1e308, 2**31, 2**63, -(2**63) - 1, 10**400, float("nan"),
    float("inf"), float("-inf"), "", "a", "0", "nan", "\x00", "\ud800", "=1+1", "<script>", "é" * 50, [], [[]], [None],
    [1, "a"], [0.5, float("nan")], {}, {"": None}, {"a": {"b": [1]}},
]  # fmt: skip


def chance(draw: Draw, n: int) -> bool:
    """Return True once in `n` times; Hypothesis takes False for the simpler case."""
    return bool(draw(st.sampled_from([False] * (n - 1) + [True])))


def odd_value(draw: Draw) -> Any:
    """Draw a value that is likely out of place; at times one nested far too deeply."""
    if chance(draw, 30):
        nested: Any = 0
        for _ in range(draw(st.sampled_from([50, 500, 900]))):
            nested = [nested]
        return nested
    return copy.deepcopy(draw(st.sampled_from(ODD_VALUES)))


def damage_bytes(draw: Draw, content: bytes) -> bytes:
    """Flip bits, cut, repeat, remove, zero or insert; one to four times."""
    data = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        length = draw(st.sampled_from([1, 2, 4, 16, 100]))
        kind = draw(st.sampled_from(["flip", "byte", "cut", "remove", "repeat", "zero", "insert"]))
        part = data[place : place + length]
        if kind == "flip" and part:
            data[place] ^= 1 << draw(st.integers(0, 7))
        elif kind == "byte" and part:
            data[place] = draw(st.sampled_from(b"\x00\xff\n\r,;\"'{}[]-.eE0919 \t"))
        elif kind == "cut":
            del data[place:]
        elif kind == "remove":
            del data[place : place + length]
        elif kind == "repeat":
            data[place:place] = part
        elif kind == "zero":
            data[place : place + length] = bytes(len(part))
        elif kind == "insert":
            data[place:place] = draw(st.binary(min_size=1, max_size=8))
    return bytes(data)


def damage_tree(draw: Draw, tree: Any, odd: Callable[[Draw, Any], Any] = lambda draw, old: odd_value(draw)) -> Any:
    """Return a copy of nested dicts and lists in which one to three places are deleted, replaced, renamed or doubled.

    Parameters
    ----------
    draw : callable
    tree : dict or list
    odd : callable
        Given `draw` and the old value, returns what to put in its place.
    """
    tree = copy.deepcopy(tree)
    for _ in range(draw(st.integers(1, 3))):
        holder = tree
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            inner = holder[key]
            if isinstance(inner, dict | list) and inner and not chance(draw, 5):
                holder = inner
                continue
            _change(draw, holder, key, odd)
            break
    return tree


def _change(draw: Draw, holder: Any, key: Any, odd: Callable[[Draw, Any], Any]) -> None:
    kind = draw(st.sampled_from(["replace", "replace", "replace", "delete", "rename", "double"]))
    if kind == "replace":
        holder[key] = odd(draw, holder[key])
    elif kind == "delete":
        del holder[key]
    elif kind == "rename" and isinstance(holder, dict):
        holder[draw(st.sampled_from(["", "x", str(key).upper()]))] = holder.pop(key)
    elif kind == "double" and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    else:
        holder[key] = odd(draw, holder[key])


def to_bytes(tree: Any) -> bytes:
    """Return JSON as a careless program would write it: NaN, half characters and all."""
    return json.dumps(tree).encode("utf-8", errors="surrogatepass")
