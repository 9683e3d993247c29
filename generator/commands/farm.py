"""`worldsmith farm`: build the domains of a list, some at a time, under one budget, and write a suite of those kept."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from generator.commands.child_build import ChildBuild, stop
from generator.commands.new import check_keyword
from runtime.commands.options import JSON, command, option
from runtime.commands.output import check_output, write_output
from runtime.commands.progress import Progress
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.suites import Level, read_toml, write_suite
from runtime.task.task import Task
from runtime.task.task_file import read_tasks
from runtime.text_table import table_lines
from runtime.wording import print_lines, said_seconds

_POLL = 0.3  # seconds
_TITLES = ("domain", "stage", "question", "tokens", "cost", "time", "waits for")


class FarmBuild(BaseModel):
    """What one domain of a farm is to be; what is left out is as in `worldsmith new`."""

    model_config = ConfigDict(extra="forbid")

    keyword: str = ""
    tools: int | None = None
    tables: int | None = None
    tasks: int | None = None
    levels: list[Level] = []  # of its tasks, those that the suite takes
    sources: list[str] = []
    rules: bool = True
    keep: bool = False  # whatever its figures are, after somebody has looked


class _FarmContent(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal[1]
    title: str = Field("", max_length=100)
    model: list[str] = Field(min_length=1)  # as --model
    out: str = "domains"
    at_once: Annotated[int, Field(ge=1, le=64)] = 4
    max_cost: Annotated[float, Field(gt=0)] | None = None  # dollars, of all builds together
    repairs: int = 3
    prices: dict[str, tuple[float, float]] = {}  # dollars per million tokens in and out
    shape: FarmBuild = FarmBuild()  # of every build that says nothing else
    builds: list[FarmBuild] = Field(min_length=1, max_length=1_000)


@dataclass
class FarmRow:
    """A build of the farm and how far it is; `words` are those of its command."""

    build: ChildBuild
    words: list[str]
    shape: FarmBuild
    stage: str = "waiting"
    process: subprocess.Popen[bytes] | None = None
    line: dict[str, Any] | None = None

    @property
    def is_kept(self) -> bool:
        verdict = self.line["verdict"] if self.line else "failed"
        return verdict == "keep" or (self.shape.keep and verdict != "failed")

    def tasks(self) -> list[Task]:
        """Return the tasks of the domain that the suite takes."""
        tasks, levels = read_tasks(load_domain(self.build.folder)).values(), self.shape.levels
        return [task for task in tasks if not levels or task.level in levels]


@command(
    "farm",
    "Build the domains that a TOML file lists, some at a time, each by `worldsmith new` in a process of its own, with "
    "one budget and one price list. Every domain is checked at the end and gets a line: its figures, and keep, mend or "
    "look. A failed build stops no other. The same command resumes a stopped farm and asks nothing twice, and checks "
    "again what was mended. What was kept becomes the suite FILE-kept.toml. Exit 0: all are kept.",
    option("file", type=Path, metavar="FILE", help="the list, in TOML (docs/suites.md)"),
    JSON,
)
def farm(arguments: argparse.Namespace) -> int:
    """Build them all; 0 if each is kept."""
    path: Path = arguments.file
    content = read_toml(path, _FarmContent, "farm")
    rows = _rows(content, path.parent)
    suite = path.with_name(f"{path.stem}-kept.toml")
    check_output(suite)
    with Progress("over", len(rows)) as progress:
        try:
            _run(rows, content.at_once, progress, as_json=arguments.json)
        finally:
            stop(row.process for row in rows if row.process is not None)
    tasks, places = {}, {}
    for row in rows:
        if row.is_kept and (ids := [task.id for task in row.tasks()]):
            name = row.build.folder.name
            tasks[name], places[name] = ids, {"path": Path(os.path.relpath(row.build.folder, path.parent)).as_posix()}
    if tasks:
        write_output(suite, [write_suite(content.title or f"Kept of {path.stem}", tasks, places)])
    if not arguments.json:
        print_lines([*table_lines(_TITLES, map(_cells, rows)), *_told(rows), *([f"wrote {suite}"] if tasks else [])])
    return 0 if all(row.is_kept for row in rows) else 1


def _rows(content: _FarmContent, root: Path) -> list[FarmRow]:
    """Return a row for each build; errors: UsageError for two of the same name."""
    rows: dict[str, FarmRow] = {}
    every = ["--repairs", str(content.repairs)]
    for model, prices in content.prices.items():
        every += ["--price", f"{model}={prices[0]},{prices[1]}"]
    for build in content.builds:
        keyword, name = check_keyword(build.keyword)
        if name in rows:
            raise UsageError(f"{build.keyword!r} names the domain {name!r}, as another keyword of the list does.")
        shape = content.shape.model_copy(update=build.model_dump(exclude_unset=True, exclude={"keyword"}))
        words = [keyword, *every, *([] if shape.rules else ["--no-rules"])]
        for spec in content.model:
            words += ["--model", _own_relay(spec, root, name)]
        for count, value in (("--tools", shape.tools), ("--tables", shape.tables), ("-n", shape.tasks)):
            words += [count, str(value)] if value is not None else []
        for source in shape.sources:
            words += ["--source", str(root / source)]
        rows[name] = FarmRow(ChildBuild((root / content.out / name).resolve()), words, shape)
    for name, row in rows.items() if content.max_cost is not None else ():
        row.words += ["--max-cost", str(content.max_cost)]
        for other in (rows[each] for each in rows if each != name):
            row.words += ["--beside", str(other.build.folder)]
    return list(rows.values())


def _own_relay(spec: str, root: Path, name: str) -> str:
    """Return a model's spec, where a relay has a folder for each build: questions of two builds have the same names."""
    role, is_relay, folder = spec.partition("relay:")
    return f"{role}relay:{(root / folder).resolve() / name}" if is_relay and ":" not in role else spec


def _run(rows: Sequence[FarmRow], at_once: int, progress: Progress, *, as_json: bool) -> None:
    """Build and check until every row has its line."""
    while left := [row for row in rows if row.line is None]:
        for row in left:
            if row.process is not None and row.process.poll() is not None:
                _end(row)
            elif row.process is None and sum(other.process is not None for other in rows) < at_once:
                _begin(row)
            if row.line is not None:
                row.stage = row.line["verdict"]
                progress.advance()
                if as_json:
                    print(json.dumps(row.line, ensure_ascii=False), flush=True)
        at_work_first = sorted(rows, key=lambda row: (row.line is not None, row.process is None))
        progress.tell("\n".join(["", *table_lines(_TITLES, map(_cells, at_work_first))]))
        time.sleep(_POLL)


def _begin(row: FarmRow) -> None:
    """Start what a row needs next, if it is not over."""
    if row.build.is_done:
        row.line = row.build.line()
        if row.line is None:
            row.stage, row.process = "checking", row.build.start_check()
    elif row.build.is_held:
        row.stage = "built elsewhere"
    else:
        row.stage, row.process = "building", row.build.start(row.words)


def _end(row: FarmRow) -> None:
    """Take down what became of a child that has ended; a domain that was built is checked next."""
    assert row.process is not None
    status, was_check, row.process = row.process.returncode, row.stage == "checking", None
    row.stage, row.line = "waiting", row.build.line() if was_check else None
    if row.line is None and (was_check or not row.build.is_done):
        why = row.build.why() if status >= 0 else f"The process was ended by signal {-status}."
        name, folder = row.build.folder.name, str(row.build.folder)
        row.line = {"domain": name, "keyword": row.words[0], "verdict": "failed", "why": [why], "folder": folder}


def _cells(row: FarmRow) -> list[object]:
    status, is_building = row.build.status(), row.stage == "building"
    cost, place = status.get("cost", 0.0), status.get("place", "-").removeprefix("question ")
    figures = [status.get("tokens", 0), "unknown" if cost is None else f"${cost:.2f}"]
    whom = status.get("waits_for", "-") if is_building else "a free place" if row.stage == "waiting" else ""
    stage = status.get("stage", row.stage) if is_building else row.stage
    return [row.build.folder.name, stage, place, *figures, said_seconds(status.get("seconds", 0)), whom]


def _told(rows: Sequence[FarmRow]) -> Iterator[str]:
    """Say of each build that is not kept why not, and what to do."""
    for row in rows:
        if row.line is not None and not row.is_kept:
            todo = {
                "mend": f"`worldsmith mend {row.build.folder} --model ...` mends it, then run the farm again",
                "look": "if it is good as it is, say `keep = true` for it, and run the farm again",
                "failed": f"the farm tries it again; its log is {row.build.beside / 'log.txt'}",
            }
            yield from (f"{row.build.folder.name}: {each}" for each in (*row.line["why"], todo[row.line["verdict"]]))
