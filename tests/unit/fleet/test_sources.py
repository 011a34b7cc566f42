"""Which logs are meant, and what the results are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from jounce.errors import ArgumentError
from jounce.fleet.sources import sources
from tests.fuzz.rule import patience


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.csv", "b/c.parquet", "b/d.npz", "b/e.txt", "b/.hidden.csv", "out/f.parquet"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


@pytest.mark.parametrize(
    ("given", "outputs"),
    [
        (["."], ["a.parquet", "b/c.parquet", "b/d.parquet"]),
        (["a.csv", "b/d.npz"], ["a.parquet", "d.parquet"]),
        (["b/*"], ["c.parquet", "d.parquet"]),
        (["**/*.npz", "a.csv"], ["b/d.parquet", "a.parquet"]),
        (["b", "b/c.parquet"], ["c.parquet", "d.parquet"]),
    ],
)
def test_names_of_results(given: list[str], outputs: list[str], tree: Path):
    found = sources([tree / name for name in given], tree / "out")
    assert [source.output for source in found] == outputs
    assert all(Path(source.path).is_file() for source in found)


def test_one_name_is_enough(tree: Path):
    assert sources(str(tree / "a.csv")) == sources([tree / "a.csv"])


def test_a_bag_of_several_files_is_one_log(tree: Path):
    (tree / "b" / "bag").mkdir()
    for name in ("metadata.yaml", "bag_0.db3"):
        (tree / "b" / "bag" / name).touch()
    assert [s.output for s in sources(tree / "b")] == ["bag.parquet", "c.parquet", "d.parquet"]
    (tree / "b" / "bag").rename(tree / "b" / "bag.2026-11-17")
    assert sources(tree / "b")[0].output == "bag.2026-11-17.parquet"


def test_links_are_followed_but_not_in_circles(tree: Path):
    (tree / "b" / "up").symlink_to(tree)
    (tree / "c").symlink_to(tree / "b")
    found = [s.output for s in sources(tree / "c")]
    assert found == ["c.parquet", "d.parquet", "up/a.parquet", "up/out/f.parquet"]


def test_patterns_do_not_go_round_links_that_lead_back(tree: Path):
    """Every one of them doubles what `glob` sees, forty times over."""
    for k in range(6):
        (tree / "b" / f"back{k}").symlink_to(tree)
    with patience():
        found = sources(tree / "**", tree / "out")
    assert {source.output for source in found} >= {"a.parquet", "b/c.parquet", "b/d.parquet"}
    assert [s.output for s in sources(tree / "b/**/*.npz")] == ["d.parquet"]
    assert [s.output for s in sources(tree / "**/b/*.[n]pz")] == ["b/d.parquet"]
    assert [s.output for s in sources(tree / "**/.hidden.csv")] == ["b/.hidden.parquet"]


def test_results_behind_a_link_are_no_logs(tree: Path):
    """Nor would a log become its own result."""
    (tree / "link").symlink_to(tree / "b")
    assert [s.output for s in sources(tree, tree / "link")] == ["a.parquet", "out/f.parquet"]
    for logs in ("b", "link", "b/*.npz", "link/c.parquet"):
        with pytest.raises(
            ArgumentError, match=r"are below .*, where the results go; give another"
        ):
            sources(tree / logs, tree / "link")


def test_names_of_results_matter_only_for_results(tree: Path):
    (tree / "b" / "a.csv").touch()
    given = [tree / "a.csv", tree / "b" / "a.csv"]
    assert [s.path for s in sources(given)] == [str(path) for path in given]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (["b/*.txt"], ArgumentError, r"no logs in .*b/\*\.txt; give files that end in \.csv"),
        ([], ArgumentError, "no logs in nothing"),
        (["no.csv"], FileNotFoundError, "No such file"),
        (["a.csv", "b/a.csv"], ArgumentError, r"would both become a\.parquet; give the folder"),
    ],
)
def test_what_is_refused(given: list[str], error, message: str, tree: Path):
    (tree / "b" / "a.csv").touch()
    with pytest.raises(error, match=message):
        sources([tree / name for name in given], tree / "out")
