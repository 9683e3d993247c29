"""`worldsmith farm`: build the domains of a list, some at a time, under one budget, and write a suite of those kept."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from generator.author.locale import choose_locale
from generator.commands.child_build import ChildBuild, stop
from generator.commands.farm_state import running_farm
from generator.commands.new import check_keyword
from runtime.commands.options import JSON, command, option
from runtime.commands.output import check_output, write_output
from runtime.commands.progress import Progress
from runtime.commands.suite import study_set, write_parts
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.suites import Level, read_suite, read_toml, write_suite
from runtime.task.task import Task
from runtime.task.task_file import read_tasks
from runtime.text_table import table_lines
from runtime.wording import print_lines, said_seconds

_POLL = 0.3  # seconds
_TITLES = ("domain", "stage", "question", "tokens", "cost", "time", "left", "waits for")


class FarmBuild(BaseModel):
    """What one domain of a farm is to be; what is left out is as in `worldsmith new`."""

    model_config = ConfigDict(extra="forbid")

    keyword: str = ""
    tools: int | None = None
    tables: int | None = None
    tasks: int | None = None
    locale: str = ""  # such as en-GB
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

    def told(self) -> dict[str, Any]:
        """Say how far it is, and of one that is over and not kept why not and what to do, as plain JSON values."""
        line, status = self.line or {}, self.build.status()
        is_building, is_lacking = self.stage == "building", self.line is not None and not self.is_kept
        whom = {"waiting": "a free place", "checking": "proofs", "building": "its first step"}.get(self.stage, "")
        return {
            "domain": self.build.folder.name,
            "keyword": self.words[0],
            "folder": str(self.build.folder),
            "state": "keep" if self.is_kept else self.stage,
            "stage": status.get("stage", "") if is_building else "",
            "question": status.get("place", "").removeprefix("question "),
            **{name: line.get(name, status.get(name, 0)) for name in ("tokens", "cost")},
            "seconds": status.get("seconds", 0),
            "left": status.get("left") if is_building else None,
            "waits_for": status.get("waits_for", whom) if is_building else whom,
            "why": line["why"] if is_lacking else [],
            "todo": self._todo() if is_lacking else "",
        }

    def _todo(self) -> str:
        assert self.line is not None
        todo = {
            "mend": f"`worldsmith mend {self.build.folder} --model ...` mends it, then run the farm again",
            "look": "if it is good as it is, say `keep = true` for it, and run the farm again",
            "failed": f"the farm tries it again; its log is {self.build.beside / 'log.txt'}",
        }
        return todo[self.line["verdict"]]


@command(
    "farm",
    "Build the domains that a TOML file lists, some at a time, each by `worldsmith new` in a process of its own, with "
    "one budget and one price list. Every domain is checked at the end and gets a line: its figures, and keep, mend or "
    "look. A failed build stops no other. The same command resumes a stopped farm and asks nothing twice, and checks "
    "again what was mended. What was kept becomes the suite FILE-kept.toml, and the folder FILE-kept gets its nested "
    "parts and `study domains` of it. Exit 0: all are kept.",
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
    with running_farm(path) as state, Progress("over", len(rows)) as progress:

        def note() -> list[dict[str, Any]]:
            told = [row.told() for row in rows]
            state.note({"title": content.title, "file": str(path), "max_cost": content.max_cost, "builds": told})
            return told

        try:
            _run(rows, content.at_once, progress, note, as_json=arguments.json)
        finally:
            stop(row.process for row in rows if row.process is not None)
        told = note()
    lines = _write_kept(content.title or f"Kept of {path.stem}", suite, rows)
    if not arguments.json:
        print_lines([*table_lines(_TITLES, map(_cells, told)), *_told(told), *lines])
    return 0 if all(row.is_kept for row in rows) else 1


def _write_kept(title: str, suite: Path, rows: Sequence[FarmRow]) -> list[str]:
    """Write the suite of what is kept, its parts and the study of it, and say what they are."""
    tasks, places = {}, {}
    for row in rows:
        if row.is_kept and (ids := [task.id for task in row.tasks()]):
            name = row.build.folder.name
            tasks[name], places[name] = ids, {"path": Path(os.path.relpath(row.build.folder, suite.parent)).as_posix()}
    if not tasks:
        return []
    write_output(suite, [write_suite(title, tasks, places)])
    lines = ["", *study_set(str(suite), suite.with_suffix("")).lines, "", f"wrote {suite}"]
    try:
        parts, _ = write_parts(read_suite(suite), suite.with_suffix(""))
    except UsageError as error:  # too few tasks
        return [*lines, f"no parts of it: {error}"]
    return [*lines, *(f"wrote {each['path']}" for each in parts)]


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
        words += ["--locale", choose_locale(shape.locale).tag] if shape.locale else []
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


def _run(
    rows: Sequence[FarmRow],
    at_once: int,
    progress: Progress,
    note: Callable[[], list[dict[str, Any]]],
    *,
    as_json: bool,
) -> None:
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
        at_work_first = sorted(
            zip(rows, note(), strict=True), key=lambda row: (row[0].line is not None, row[0].process is None)
        )
        progress.tell("\n".join(["", *table_lines(_TITLES, (_cells(told) for _, told in at_work_first))]))
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


def _cells(told: Mapping[str, Any]) -> list[object]:
    cost, left = told["cost"], told["left"]
    figures = [told["tokens"], "unknown" if cost is None else f"${cost:.2f}", said_seconds(told["seconds"])]
    about = "-" if left is None else said_seconds(left)
    return [told["domain"], told["stage"] or told["state"], told["question"] or "-", *figures, about, told["waits_for"]]


def _told(builds: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say of each build that is not kept why not, and what to do."""
    for each in builds:
        yield from (f"{each['domain']}: {said}" for said in (*each["why"], *([each["todo"]] if each["todo"] else [])))
