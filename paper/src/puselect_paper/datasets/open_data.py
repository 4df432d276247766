"""The paper's three open data sets, all from the UCI Machine Learning Repository (CC BY 4.0)."""

import os
from itertools import compress
from zipfile import ZipFile

import numpy as np
from sklearn.utils import Bunch

from puselect_paper.datasets.archive import Source, archive_lines, fetch_csv

Folder = str | os.PathLike[str]

RT_IOT_NOT_READ = ("proto", "service", "id.orig_p", "id.resp_p")
"""Text, and ports."""
RT_IOT_POSITIVE = ("NMAP_TCP_scan", "DDOS_Slowloris")
RT_IOT_EXCLUDED = "DOS_SYN_Hping"
RT_IOT_MAX_CATEGORIES = 20


def _spambase_csv(archive: ZipFile) -> bytes:
    # Lines such as "char_freq_;:  continuous." name the columns.
    definitions = [line.rstrip() for line in archive_lines(archive, "spambase.names")]
    names = [line.rpartition(b":")[0] for line in definitions if line.endswith(b"continuous.")]
    return _join_lines([b",".join([*names, b"spam"]), *archive_lines(archive, "spambase.data")])


def _ionosphere_csv(archive: ZipFile) -> bytes:
    header = b",".join([*(b"Attribute%d" % number for number in range(1, 35)), b"class"])
    return _join_lines([header, *archive_lines(archive, "ionosphere.data")])


def _rt_iot2022_csv(archive: ZipFile) -> bytes:
    # The first column only numbers the rows of a class.
    return _join_lines([line.partition(b",")[2] for line in archive_lines(archive, "RT_IOT2022")])


def _join_lines(lines: list[bytes]) -> bytes:
    return b"\n".join(lines) + b"\n"


SPAMBASE = Source(
    name="spambase",
    sha256="43cbe9a4be4f1261587a0d094f331fbfb2f20c1284d733d3a612a3692a19ab4b",
    n_bytes=699_255,
    archive="94/spambase.zip",
    to_csv=_spambase_csv,
)
IONOSPHERE = Source(
    name="ionosphere",
    sha256="000fe8478757a82ea4b1e58be1f5699f75e2178b2634657347765b7056aa52d1",
    n_bytes=76_872,
    archive="52/ionosphere.zip",
    to_csv=_ionosphere_csv,
)
RT_IOT2022 = Source(
    name="rt_iot2022",
    sha256="744900b150f3c11e94e2a6d0b1196d80c7d17aab57823b0332d2e9e199edc6a1",
    n_bytes=53_968_468,
    archive="942/rt-iot2022.zip",
    to_csv=_rt_iot2022_csv,
)

_LICENCE = "Licence: Creative Commons Attribution 4.0 International (CC BY 4.0)."
_SPAMBASE_DESCR = f"""Spambase: 4601 e-mails, 57 word and character statistics; positive: spam (1813).
Rows are sorted by class. Hopkins, M., Reeber, E., Forman, G., & Suermondt, J. (1999). Spambase [Dataset].
UCI Machine Learning Repository. https://doi.org/10.24432/C53G6X
{_LICENCE}"""
_IONOSPHERE_DESCR = f"""Ionosphere: 351 radar returns, 34 attributes; positive: bad returns (126).
Attribute2 is constant. Sigillito, V., Wing, S., Hutton, L., & Baker, K. (1989). Ionosphere [Dataset].
UCI Machine Learning Repository. https://doi.org/10.24432/C5W01B
{_LICENCE}"""
_RT_IOT2022_DESCR = f"""RT-IoT2022 without DOS_SYN_Hping: 28458 network flows; positive: NMAP_TCP_scan and
DDOS_Slowloris (1536). Rows stand in blocks of one class, and many scan flows have identical statistics.
S., B., & Nagapadma, R. (2023). RT-IoT2022 [Dataset]. UCI Machine Learning Repository.
https://doi.org/10.24432/C5P338
{_LICENCE}"""


def load_spambase(*, data_home: Folder | None = None) -> Bunch:
    """Load Spambase: 4601 e-mails, 57 features, 1813 positives (spam).

    Parameters
    ----------
    data_home : path-like or None
        Folder that holds spambase.csv.gz or UCI's spambase.zip. None: $PUSELECT_DATA. A file found in neither comes
        from the cache ($XDG_CACHE_HOME/puselect or ~/.cache/puselect), into which it is downloaded once. Contents are
        checked by sha256.

    Returns
    -------
    spambase : Bunch
        data : float ndarray of shape (4601, 57); target : int ndarray of shape (4601,), 1 for positives;
        feature_names : list of str; label_rate : float, the share of positives the paper labels;
        DESCR : str, with the citation.

    Examples
    --------
    >>> from puselect_paper.datasets import load_spambase
    >>> spam = load_spambase()  # doctest: +SKIP
    >>> spam.data.shape, int(spam.target.sum())  # doctest: +SKIP
    ((4601, 57), 1813)
    """
    names, rows = _split_table(fetch_csv(SPAMBASE, data_home))
    return _bunch(names, rows, names[:-1], ("1",), 0.03, _SPAMBASE_DESCR)


def load_ionosphere(*, data_home: Folder | None = None) -> Bunch:
    """Load Ionosphere: 351 radar returns, 34 features, 126 positives (bad returns); otherwise as `load_spambase`.

    Examples
    --------
    >>> from puselect_paper.datasets import load_ionosphere
    >>> radar = load_ionosphere()  # doctest: +SKIP
    >>> radar.data.shape, int(radar.target.sum())  # doctest: +SKIP
    ((351, 34), 126)
    """
    names, rows = _split_table(fetch_csv(IONOSPHERE, data_home))
    return _bunch(names, rows, names[:-1], ("b",), 0.10, _IONOSPHERE_DESCR)


def load_rt_iot2022(*, data_home: Folder | None = None) -> Bunch:
    """Load RT-IoT2022: 28458 network flows, 1536 positives (NMAP_TCP_scan and DDOS_Slowloris).

    As in the paper, the 94659 rows of class DOS_SYN_Hping are left out. The paper uses 67 columns "excluding
    categorical features" but does not print which. We assume all but the two text columns, the two port numbers and the
    twelve columns with at most 20 distinct values, which are 67. Otherwise as `load_spambase`.

    Examples
    --------
    >>> from puselect_paper.datasets import load_rt_iot2022
    >>> flows = load_rt_iot2022()  # doctest: +SKIP
    >>> flows.data.shape, int(flows.target.sum())  # doctest: +SKIP
    ((28458, 67), 1536)
    """
    names, rows = _split_table(fetch_csv(RT_IOT2022, data_home))
    rows = [row for row in rows if not row.endswith("," + RT_IOT_EXCLUDED)]
    chosen = [name for name in names[:-1] if name not in RT_IOT_NOT_READ]
    flows = _bunch(names, rows, chosen, RT_IOT_POSITIVE, 0.02, _RT_IOT2022_DESCR)
    kept = [len(np.unique(column)) > RT_IOT_MAX_CATEGORIES for column in flows.data.T]
    flows.update(data=np.ascontiguousarray(flows.data[:, kept]), feature_names=list(compress(chosen, kept)))
    return flows


def _split_table(content: bytes) -> tuple[list[str], list[str]]:
    """Return the column names and the lines of a CSV without quotes."""
    header, *rows = content.decode().splitlines()
    return header.split(","), rows


def _bunch(
    names: list[str], rows: list[str], chosen: list[str], positive: tuple[str, ...], label_rate: float, descr: str
) -> Bunch:
    """Return the chosen columns, and 1 where the last field is a positive class."""
    places = [names.index(name) for name in chosen]
    data = np.loadtxt(rows, delimiter=",", usecols=places, comments=None, ndmin=2)
    target = np.array([row.rpartition(",")[2] in positive for row in rows], dtype=np.int64)
    return Bunch(data=data, target=target, feature_names=chosen, label_rate=label_rate, DESCR=descr)
