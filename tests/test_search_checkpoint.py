import io
import json
import signal
import zipfile

import numpy as np
import pytest
from sklearn.cluster import KMeans

from puselect.search.checkpoint import fingerprint, load_state, save_state


def test_state_survives_a_round_trip_and_a_failed_save(tmp_path):
    state = {"a": {"b": np.arange(3.0), "c": 2**127}, "d": "text", "e": None, "f": [1, 2]}
    save_state(tmp_path / "file", state)
    loaded = load_state(tmp_path / "file")
    np.testing.assert_array_equal(loaded["a"].pop("b"), state["a"].pop("b"))
    assert json.dumps(loaded) == json.dumps(state)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    save_state(tmp_path / "file", {"a": 1})
    with pytest.raises(TypeError):
        save_state(tmp_path / "file", {"a": object()})
    assert load_state(tmp_path / "file") == {"a": 1}
    assert len(list(tmp_path.iterdir())) == 1


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content", [b"", b"not a checkpoint", b"PK\x03\x04 cut off", npy(np.arange(3.0)), npy(np.array("text"))]
)
def test_a_file_of_another_kind_is_refused_clearly(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ValueError, match="damaged or not a puselect checkpoint"):
        load_state(tmp_path / "file")


def test_ctrl_c_while_the_archive_is_made_stays_a_ctrl_c(tmp_path, monkeypatch):
    really = zipfile._ZipWriteFile

    def pressed(*words):  # here an interrupted archive cannot be closed
        signal.raise_signal(signal.SIGINT)
        return really(*words)

    save_state(tmp_path / "file", {"a": 1})
    monkeypatch.setattr(zipfile, "_ZipWriteFile", pressed)
    with pytest.raises(KeyboardInterrupt):
        save_state(tmp_path / "file", {"a": 2})
    assert load_state(tmp_path / "file") == {"a": 1}


def saved_bytes(tmp_path):
    rng = np.random.default_rng(0)
    save_state(tmp_path / "good", {"a": {"b": rng.random(20), "c": 2**100}, "d": "text", "e": rng.integers(9, size=5)})
    return (tmp_path / "good").read_bytes()


def test_every_damage_is_one_kind_of_error_or_none(tmp_path):
    good, rng = saved_bytes(tmp_path), np.random.default_rng(1)
    path = tmp_path / "bad"
    for number in range(200):
        content = bytearray(good)
        content[rng.integers(len(good))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(content) if number % 4 else good[: rng.integers(len(good))])
        try:
            load_state(path)
        except ValueError as error:
            assert "bad" in str(error)


def test_fingerprints_see_every_value_and_not_where_an_object_is_stored():
    costs = np.ones(5000)
    other = costs.copy()
    other[2500] = 2.0
    assert fingerprint(costs) != fingerprint(other)
    assert fingerprint(costs) == fingerprint(np.repeat(costs, 2)[::2])
    assert fingerprint(np.ones((3, 4), order="F")) == fingerprint(np.ones((3, 4)))
    assert fingerprint("a", None) != fingerprint("a", 0)
    first, second = (fingerprint(KMeans(3, random_state=np.random.RandomState(0)), {"a": None}) for _ in range(2))
    assert first == second
    assert first != fingerprint(KMeans(4, random_state=np.random.RandomState(0)), {"a": None})
