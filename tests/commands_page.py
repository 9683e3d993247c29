"""Write `docs/commands.md` from the declarations of the commands: python -m tests.commands_page."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from generator.main import COMMANDS
from runtime.commands.options import REGISTRY, Command

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
_WIDTH, _INDENT = 80, 26
_HEAD = """# Commands

Every command and option, as `worldsmith COMMAND --help` says them. Written by `python -m tests.commands_page`.
"""


class _Recorder:
    """Takes options as a parser does, and keeps what they say: the title of their group, their names, their help."""

    def __init__(self, title: str = "", said: list[tuple[str, str, str]] | None = None) -> None:
        self.title = title
        self.said: list[tuple[str, str, str]] = [] if said is None else said

    def add_argument(self, *names: str, **about: Any) -> None:
        is_flag = about.get("action") in ("store_true", "store_const", argparse.BooleanOptionalAction)
        if about.get("action") is argparse.BooleanOptionalAction:
            names = (names[0], names[0].replace("--", "--no-"))
        metavar = about.get("metavar") or names[-1].strip("-").upper().replace("-", "_")
        if about.get("choices"):
            metavar = "{" + ",".join(about["choices"]) + "}"
        is_option = names[0].startswith("-")
        shown = ", ".join(names) if is_option else metavar
        shown += f" {metavar}" if is_option and not is_flag else ""
        shown += {"*": " ...", "+": " ..."}.get(str(about.get("nargs")), "")
        self.said.append((self.title, shown, about["help"]))

    def add_argument_group(self, title: str) -> _Recorder:
        return _Recorder(title, self.said)

    def add_mutually_exclusive_group(self) -> _Recorder:
        return self


def _lines_of(name: str, command: Command) -> Iterator[str]:
    recorder = _Recorder()
    for part in command.parts:
        part(recorder)
    yield from ("", f"## {name}", "", command.description, "", "```text")
    title = ""
    for group, shown, said in recorder.said:
        if group != title:
            yield from ("", f"{group}:")
            title = group
        lines = textwrap.wrap(said, _WIDTH - _INDENT, break_on_hyphens=False)
        if len(shown) + 4 > _INDENT:
            yield f"  {shown}"
            shown = ""
        yield f"  {shown:<{_INDENT - 2}}{lines[0]}"
        yield from (" " * _INDENT + line for line in lines[1:])
    yield "```"


def write() -> str:
    """Return the text of the page."""
    for module, _ in COMMANDS.values():
        import_module(module)
    names = [name for known in COMMANDS for name in REGISTRY if name.split()[0] == known]
    lists = [f"- [`{name}`](#{name.replace(' ', '-')}): {COMMANDS[name.split()[0]][1]}" for name in names]
    lines = [line for name in names for line in _lines_of(name, REGISTRY[name])]
    return "\n".join([_HEAD, *lists, *lines, ""])


if __name__ == "__main__":
    PAGE.write_text(write(), encoding="utf-8")
