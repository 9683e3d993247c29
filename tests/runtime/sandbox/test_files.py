"""Files of somebody else's folder are regular, inside of it, bounded and text; everything else is one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runtime.errors import UsageError
from runtime.sandbox.files import hold_path, is_there, parse_json, read_bytes, read_lines, read_text, replacing


@pytest.mark.parametrize("name", ["schema.sql", "tools/loans.py", "a/b/c/d.json", "x-1.2_3"])
def test_a_plain_name_is_held(name: str, tmp_path: Path) -> None:
    assert hold_path(tmp_path, name) == tmp_path / name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "/etc/passwd", "../x", "a//x", "a/", ".git/x", "a\\x", "C:x", "a\0", "\u202ex"]
)
def test_a_name_that_is_not_plain_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="names no file inside a folder"):
        hold_path(tmp_path, name)


def test_a_link_may_lead_within_the_folder_and_not_out_of_it(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "secret.txt"
    inside.mkdir()
    outside.write_text("precious")
    (inside / "own.txt").write_text("mine")
    (inside / "near.txt").symlink_to("own.txt")
    (inside / "far.txt").symlink_to(outside)
    (inside / "tools").symlink_to(tmp_path)
    assert read_text(inside / "near.txt") == "mine"
    for path in (inside / "far.txt", inside / "tools" / "secret.txt"):
        with pytest.raises(UsageError, match="outside of its folder"):
            read_text(path, within=inside)
    with pytest.raises(UsageError, match="outside of its folder"):
        hold_path(inside, "tools/new.py")
    with pytest.raises(UsageError, match="outside of its folder"):
        is_there(inside / "far.txt")


def test_what_is_no_regular_file_is_named_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    assert not is_there(tmp_path / "nothing")
    for name, kind in (("pipe", "a pipe, a socket or a device"), ("folder", "a folder")):
        for read in (is_there, read_bytes):
            with pytest.raises(UsageError, match=f"is {kind}, not a regular file"):
                read(tmp_path / name)


def test_sizes_and_lines_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(UsageError, match="has 5 bytes; at most 4 are read"):
        read_bytes(path, 4)
    os.truncate(path, 2**34)
    with pytest.raises(UsageError, match="has 17,179,869,184 bytes"):
        list(read_lines(path))
    path.write_bytes(b"a\r\n\nb")
    assert list(read_lines(path)) == [(1, b"a"), (2, b""), (3, b"b")]


def test_a_file_that_is_not_utf_8_is_named_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a\n\xff")
    with pytest.raises(UsageError, match="line 2: byte 2 is not UTF-8"):
        read_text(tmp_path / "x")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1, "a": 2}', "'a' appears twice"),
        ("[" * 100_000, "nested too deeply"),
        ("[NaN]", "NaN is not JSON"),
        ("{", "Expecting property name"),
    ],
)
def test_json_that_programs_read_differently_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_json(text)


def test_a_file_is_replaced_whole_and_through_no_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in ("x", ".x.new"):
        (tmp_path / name).symlink_to(victim)
    with replacing(tmp_path / "x") as file:
        file.write(b"new")
    assert (tmp_path / "x").read_text() == "new"
    assert victim.read_text() == "precious"
    with pytest.raises(KeyError), replacing(tmp_path / "x"):
        raise KeyError
    assert sorted(path.name for path in tmp_path.iterdir()) == ["victim", "x"]
    assert (tmp_path / "x").read_text() == "new"
