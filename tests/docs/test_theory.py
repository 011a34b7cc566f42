"""The theory, the errata and `jounce.literature` cite equations that exist and agree on errata."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.architecture.sources import PACKAGE, ROOT, docstrings, python_files, relative

LITERATURE = sorted((PACKAGE / "literature").glob("*.py"))
THEORY = sorted((ROOT / "docs" / "theory").glob("*.md"))
ERRATA = ROOT / "docs" / "errata.md"
PAGES = sorted((ROOT / "docs").rglob("*.md"))


class Paper(NamedTuple):
    """How a paper numbers what can be cited, as counted in it."""

    equations: int  # the highest number
    letters: dict[int, str]  # equations with parts (a), (b), …
    sections: str
    remarks: int = 0
    propositions: int = 0
    algorithms: int = 0


PAPERS = {
    "KM21": Paper(47, {}, "I II II-A II-B II-C II-D II-E III III-A III-B IV IV-A IV-B V"),
    "GOA13": Paper(33, {6: "abc", 13: "abc", 24: "abcd", 25: "abc"},
                   "I II III IV V VI VII VIII", remarks=7, propositions=6),
    "MK21": Paper(67, {}, "1 2 2.1 2.2 3 4 5 6 6.1 6.1.1 6.1.2 6.2 6.2.1 6.2.2 6.2.3 6.2.4 7"),
    "M20": Paper(42, {}, "I II II-A II-B III IV V V-A V-B V-C V-D V-E V-F VI VII A B",
                 remarks=2, algorithms=3),
}  # fmt: skip
KEYS = "|".join(PAPERS)
TAG = re.compile(rf"\[((?:{KEYS})(?:[,;]\s[^\]]*)?)\]")
PLACE = re.compile(
    r"\((?P<number>\d+)(?P<letters>[a-d](?:, [a-d])*)?\)"
    r"|(?:sections? |appendix )?(?P<section>[IVX]+(?:-[A-F])?|\d(?:\.\d)*|[AB])"
    r"|Remark (?P<remark>\d+)|Proposition (?P<proposition>\d+)|algorithms? (?P<algorithm>\d+)"
)
MARK = re.compile(rf"Erratum: ((?:{KEYS}) [^:;\n]+?)(?=[:;.]|$)", re.MULTILINE)
KEY = re.compile(KEYS)
SEPARATOR = re.compile(  # between places: a comma, "and", a dash; not within (24b, c) or II-E
    r"[,;] (?![a-d][,)])| and |(?<=\))-(?=\()|(?<=[IVX])-(?=[IVX])"
)
ROW = re.compile(rf"^\| ((?:{KEYS}) [^|]+?) \|(.*)\|$", re.MULTILINE)


def is_there(paper: Paper, place: str) -> bool:
    """Tell whether a paper has what is cited: (17), (24b, c), section II-E, Remark 7, …"""
    found = PLACE.fullmatch(place)
    if found is None:
        return False
    kind = found.lastgroup
    if found["number"]:
        number = int(found["number"])
        letters = re.findall("[a-d]", found["letters"] or "")
        has_letters = all(x in paper.letters.get(number, "") for x in letters)
        return 1 <= number <= paper.equations and has_letters
    if kind == "section":
        return found["section"] in paper.sections.split()
    return 1 <= int(found[kind]) <= getattr(paper, f"{kind}s")


def unresolved(tag: str) -> list[str]:
    """Return what a tag such as ``KM21, (17), (18)`` cites and the papers do not have."""
    paper, kind, bad = PAPERS[KEY.findall(tag)[0]], "", []
    for place in SEPARATOR.split(tag):
        if place in PAPERS:
            paper = PAPERS[place]
            continue
        whole = f"{kind} {place}" if place.isdigit() else place  # algorithms 1 and 3
        kind = whole.partition(" ")[0]
        if not is_there(paper, whole):
            bad.append(place)
    return bad


def comments(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def tags(path: Path) -> list[str]:
    text = re.sub(r"\n *#?", " ", path.read_text(encoding="utf-8"))
    return [" ".join(tag.split()) for tag in TAG.findall(text)]


def test_every_citation_resolves() -> None:
    """Keys are those of the bibliography (see the architecture tests); here, the numbers."""
    cited = [(path, tag) for path in [*PAGES, *python_files("src")] for tag in tags(path)]
    assert len(cited) > 200
    bad = {f"{relative(path)}: [{tag}]": unresolved(tag) for path, tag in cited}
    assert not any(bad.values()), {tag: places for tag, places in bad.items() if places}


def test_numbers_of_the_transcriptions_resolve() -> None:
    """Bare numbers in `literature` belong to the paper that a module is named after."""
    counted = 0
    for path in LITERATURE:
        own = path.stem.partition("_")[0].upper()
        text = " ".join([*docstrings(path), *comments(path)])
        for key, place in re.findall(rf"(?:\b({KEYS}),? )?(\(\d+[a-d]?\))", text):
            if key or own in PAPERS:
                counted += 1
                assert is_there(PAPERS[key or own], place), f"{path.name}: {place}"
    assert counted > 80


def marks(path: Path) -> set[str]:
    return {mark.strip() for mark in MARK.findall("\n".join(comments(path)))}


def rows() -> dict[str, list[str]]:
    """Return the cells after the name of every erratum: printed, right, reason, where."""
    found = ROW.findall(ERRATA.read_text(encoding="utf-8"))
    assert len(found) == len(dict(found)), "an erratum is listed twice"
    return {name: [cell.strip() for cell in cells.split(" | ")] for name, cells in found}


def test_errata_are_listed_with_reason_and_place() -> None:
    assert len(rows()) > 35
    for name, cells in rows().items():
        key, _, place = name.partition(" ")
        assert is_there(PAPERS[key], re.sub(r" [a-z]$", "", place)), f"{name}: no such place"
        assert len(cells) == 4, f"{name}: printed, right, reason, where"
        assert all(cells[:3]), f"{name}: an empty cell"
        files = re.findall(r"`([\w/]+\.py)`", cells[3])
        assert files or cells[3] == "–" or "robot" in cells[3], f"{name}: applied where?"
        assert all((PACKAGE / file).exists() for file in files), f"{name}: {files}"


def test_marked_errata_are_the_listed_ones() -> None:
    """A comment ``Erratum: KM21 (20)`` stands where the list says that it was applied."""
    listed = {
        (name, file)
        for name, cells in rows().items()
        for file in re.findall(r"`literature/(\w+\.py)`", cells[3])
    }
    marked = {(mark, path.name) for path in LITERATURE for mark in marks(path)}
    assert marked == listed, f"not listed {marked - listed}, not marked {listed - marked}"


@pytest.mark.parametrize("path", LITERATURE, ids=lambda path: path.name)
def test_errata_are_marked_one_way(path: Path) -> None:
    """So that the test above sees all of them."""
    assert "ERRATA" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [*THEORY, ERRATA], ids=lambda path: path.name)
def test_pages_point_at_what_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for file in re.findall(r"`([\w/]+\.py)`", text):
        assert (PACKAGE / file).exists() or (ROOT / file).exists(), file
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    ("tag", "bad"),
    [
        ("KM21, (47)", []),
        ("KM21, (48)", ["(48)"]),
        ("KM21, (16)-(18)", []),
        ("GOA13, (24b, c), (31)", []),
        ("GOA13, (6d)", ["(6d)"]),
        ("GOA13, Remark 8", ["Remark 8"]),
        ("M20, algorithms 1 and 3", []),
        ("M20, algorithm 4", ["algorithm 4"]),
        ("M20, appendix B", []),
        ("GOA13, III-VI", []),
        ("KM21, section VI", ["section VI"]),
        ("KM21, MK21", []),
        ("KM21, somewhere", ["somewhere"]),
    ],
)
def test_resolving(tag: str, bad: list[str]) -> None:
    assert TAG.findall(f"as in [{tag}].") == [tag]
    assert unresolved(tag) == bad
