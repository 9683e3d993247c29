"""Files that are read are regular, bounded and text; everything else is one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runtime.errors import UsageError
from runtime.sandbox.files import is_there, read_bytes, read_lines, read_text, replacing


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


def test_a_link_out_of_its_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("key")
    (tmp_path / "domain").mkdir()
    (tmp_path / "domain" / "policy.md").symlink_to(tmp_path / "secret")
    for read in (is_there, read_bytes):
        with pytest.raises(UsageError, match="outside of its folder; put the file there"):
            read(tmp_path / "domain" / "policy.md")
