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
    nested: Any = 0
    for _ in range(draw(st.sampled_from([50, 500, 900])) if chance(draw, 30) else 0):
        nested = [nested]
    return nested or copy.deepcopy(draw(st.sampled_from(ODD_VALUES)))


def damage_bytes(draw: Draw, content: bytes) -> bytes:
    """Change, cut, remove, repeat or insert bytes; one to four times."""
    data = content
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        end = place + draw(st.sampled_from([1, 2, 4, 16, 100]))
        before, part, after = data[:place], data[place:end], data[end:]
        odd = draw(st.sampled_from(b"\x00\xff\n\r,;\"'{}[]-.eE0919 \t"))
        flipped = bytes([part[0] ^ 1 << draw(st.integers(0, 7)), *part[1:]]) if part else b""
        new = {
            "flip": flipped, "byte": bytes([odd, *part[1:]]), "cut": b"", "remove": b"", "repeat": part + part,
            "zero": bytes(len(part)), "insert": draw(st.binary(min_size=1, max_size=8)) + part,
        }  # fmt: skip
        kind = draw(st.sampled_from(sorted(new)))
        data = before + new[kind] + (b"" if kind == "cut" else after)
    return data


def damage_tree(draw: Draw, tree: Any) -> Any:
    """Return a copy of nested dicts and lists with one to three places deleted, replaced, renamed or doubled."""
    tree = copy.deepcopy(tree)
    for _ in range(draw(st.integers(1, 3))):
        _damage_place(draw, tree)
    return tree


def _damage_place(draw: Draw, holder: Any) -> None:
    if not holder:
        return
    key = draw(st.sampled_from(list(holder) if isinstance(holder, dict) else range(len(holder))))
    if isinstance(holder[key], dict | list) and holder[key] and not chance(draw, 5):
        return _damage_place(draw, holder[key])
    kind = draw(st.sampled_from(["replace", "replace", "replace", "delete", "move"]))
    if kind == "replace":
        holder[key] = odd_value(draw)
    elif kind == "delete":
        del holder[key]
    elif isinstance(holder, dict):
        holder[draw(st.sampled_from(["", "x", str(key).upper()]))] = holder.pop(key)
    else:
        holder.insert(key, copy.deepcopy(holder[key]))


def to_bytes(tree: Any) -> bytes:
    """Return JSON as a careless program would write it: NaN, half characters and all."""
    return json.dumps(tree).encode("utf-8", errors="surrogatepass")
