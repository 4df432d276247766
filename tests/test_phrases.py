import pytest

from puselect.phrases import counted, duration, shortened


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "< 1 ms"), (0.0099, "9.9 ms"), (9.96, "10 s"), (99, "99 s"), (100, "1.7 min"), (6000, "1.7 h"),
     (172_800, "2.0 days")],
)  # fmt: skip
def test_a_duration_is_a_number_of_two_digits_and_its_unit(seconds, text):
    assert duration(seconds) == text


def test_only_one_is_singular():
    assert [counted(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


def test_a_list_of_names_is_shortened_only_if_it_is_long():
    assert shortened(list("abcdef"), "; ") == "a; b; c; d; e; f"
    assert shortened(list("abcdefg")) == "a, b, c, d, e, f and 1 more"
