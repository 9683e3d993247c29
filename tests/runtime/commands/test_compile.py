"""`worldsmith compile`: it writes whole servers, replaces only what it wrote, and refuses the rest in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from tests.conftest import LIBRARY
from tests.making import write_domain


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def compile_library(out: Path) -> None:
    """Compile the library."""
    assert main(["compile", "library", "--out", str(out)]) == 0


def test_several_domains_are_compiled_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "out"
    assert main(["compile", "library", str(write_domain(tmp_path)), "--out", str(out), "--json"]) == 0
    compiled = json.loads(capsys.readouterr().out)["compiled"]
    assert [row["domain"] for row in compiled] == ["library", "small"]
    assert sorted(path.name for path in out.iterdir()) == ["library", "library.mcpb", "small", "small.mcpb"]
    for row in compiled:
        found = contents(Path(row["directory"]))
        assert (row["files"], row["bytes"]) == (len(found), sum(map(len, found.values())))
        assert row["bundle_bytes"] == Path(row["bundle"]).stat().st_size


def lose_the_card(out: Path) -> str:
    """A directory that does not say who wrote it."""
    (out / "library" / "compiled.json").unlink()
    return "library' is not what compile wrote; move it away, or pass another --out"


def put_another_bundle(out: Path) -> str:
    """A bundle that somebody else made."""
    (out / "library.mcpb").write_bytes(b"PK mine")
    return "library.mcpb' is not a bundle; move it away, or pass another --out"


@pytest.mark.parametrize("spoil", [lose_the_card, put_another_bundle])
def test_what_compile_did_not_write_stays(
    spoil: Callable[[Path], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    compile_library(out)
    sentence = spoil(out)
    before = contents(out)
    capsys.readouterr()
    assert main(["compile", str(write_domain(tmp_path)), "library", "--out", str(out)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert contents(out) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(["library", str(LIBRARY), "--out", "out"], "a domain is named twice", id="twice"),
        pytest.param(
            ["library", "--out", "mine/file"],
            "'mine/file/library' cannot be written",
            id="out_is_a_file",
        ),
    ],
)
def test_what_cannot_be_compiled_is_one_line_and_exit_status_2(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    assert main(["compile", *words]) == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert contents(tmp_path) == {"mine/file": b"mine"}


def test_a_draft_is_not_compiled_until_a_person_has_filled_it_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "shop"]) == 0
    capsys.readouterr()
    assert main(["compile", "library", "domains/shop", "--out", "out"]) == 2
    said = capsys.readouterr().err
    assert "is a draft: line" in said
    assert "says 'FILL IN'; write what it asks for first" in said
    assert not (tmp_path / "out").exists()
