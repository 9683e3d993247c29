"""`worldsmith mend`: send what `check` complains of to a model, stage by stage, until the domain passes."""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from math import ceil
from pathlib import Path
from typing import Any

from generator.author.folder import cases_elsewhere
from generator.author.mend import (
    STEPS,
    Complaint,
    MendAsker,
    MendStep,
    read_complaints,
    refresh_interlocks,
    remake_tasks,
    take_step,
    unmet,
    write_figures,
)
from generator.author.stage import MENDED, MENDING, ROLES, beside, figures_by_stage
from generator.commands.check import check_rest
from generator.commands.check_report import TASKS, CheckReport, Gate, Told
from generator.commands.new import CHOICES, check_model, choose_models_of
from generator.commands.place import building_beside, clear_beside, exchange
from generator.commands.watch_build import BuildWatcher, relay_folders
from generator.gates.worth import find_worth
from generator.isolation.job import Job, ProofFailed
from generator.tasks.proofs.recheck import recheck_tasks
from generator.twin.parts import PARKED, put_back
from runtime.commands.options import DOMAIN, JSON, PRICE, command, flag, int_option, list_option, option
from runtime.commands.output import Result
from runtime.commands.progress import Progress
from runtime.domain.load import find_folder, is_carried, load_domain
from runtime.errors import BrokenDomain, StageFailed, UsageError
from runtime.model.book import AnswerBook
from runtime.sandbox.files import parse_json, read_text, replacing
from runtime.text_table import table_lines

_OF_TASKS: frozenset[Job[Any, Any]] = frozenset({recheck_tasks, find_worth})  # which are asked at the end
_ASKED = [role for role in ROLES if role not in ("screen", "tools", "database", "people")]


@command(
    "mend",
    "Send what `check` complains of to a model, with the parts that it concerns, stage by stage as in a build; known "
    "shortcomings count. The rest of the folder stays as it is; tasks that do not hold any more are composed again "
    "without a model. Every answer is kept at once, at the end in mended.jsonl; the same command resumes "
    "where a stopped one was. "
    "Exit 0: `check` passes; exit 1: something is left.",
    DOMAIN,
    list_option("--model", "[ROLE=]SPEC", f"who answers: {CHOICES}; ROLE is one of {', '.join(ROLES)}"),
    option("--max-cost", type=float, above=0, metavar="USD", help="stop before more than this is spent"),
    PRICE,
    int_option("--repairs", said="how often a gate may send an answer back", within=(0, 10), default=3),
    list_option(
        "--complaint",
        "NAME=TEXT",
        "what a person says of a scenario, rule or duty, such as a player whom it misled; it counts until that changes",
    ),
    flag("--parked", "first put back the tools, rules, scenarios and cases that `twin --update` has parked"),
    JSON,
)
def mend(arguments: argparse.Namespace) -> Result:
    """Mend a domain; 0 if `check` passes at the end, known shortcomings included."""
    check_model(arguments)
    folder = _folder_of(arguments.domain)
    card = parse_json(read_text(folder / "domain.json"))
    if isinstance(card, dict) and card.get("real_rows"):
        raise UsageError(
            f"The worlds of {folder.name} grow from rows that may be about real people, which no model is shown; make "
            "it with `worldsmith twin --synthetic` first."
        )
    told = _put_back(folder) if arguments.parked and (folder / PARKED).is_dir() else []
    if (elsewhere := next(cases_elsewhere(folder), None)) is not None:
        raise UsageError(elsewhere)
    answers = beside(folder, MENDED)
    if not answers.exists() and (folder / MENDED).exists():
        shutil.copyfile(folder / MENDED, answers)
    mender = _Mender(folder, _said(arguments.complaint))
    mender.told += told
    with _SeenProgress(f"mending {folder.name}", mender.note) as progress:
        progress.tell("running the gates of check")
        mender.report = check_rest(folder, _OF_TASKS)
        with AnswerBook.open(answers, {"mends": True}) as book:
            try:
                asyncio.run(mender.run(arguments, book, progress))
            except BaseException as error:
                mender.note(f"stopped: {str(error) or type(error).__name__}")
                raise
    if len(book):
        answers.replace(folder / MENDED)
    answers.unlink(missing_ok=True)
    left = [*mender.left]
    mender.note("", is_over=not left)
    rows = [[each.stage, each.requests, each.repairs, f"{each.tokens:,}"] for each in figures_by_stage(book)]
    said = [*(f"mended: {name}" for name in mender.mended), *mender.told]
    faults = mender.report.named("faults", "known", "stopped")
    lines = [*(table_lines(["stage", "requests", "repairs", "tokens"], rows) if rows else ()), *said, *faults]
    content = {"domain": folder.name, "mended": mender.mended, "left": faults, "ok": not left}
    return Result(content, [*lines, f"{folder.name}: {f'left: {_named(left)}' if left else 'ok'}"], 1 if left else 0)


def _said(complaints: Sequence[str]) -> dict[str, str]:
    """What is said of each name."""
    for each in complaints:
        if not all(part.strip() for part in (each.partition("=")[0], each.partition("=")[2])):
            raise UsageError(f"--complaint {each!r} is not NAME=TEXT.")
    return {name.strip(): words.strip() for name, _, words in (each.partition("=") for each in complaints)}


def _folder_of(name: str) -> Path:
    """The folder to mend; one that a killed run left half swapped is put back first."""
    for path in (Path(name), Path("domains") / name):
        clear_beside(path)
    if is_carried(name):
        raise UsageError(f"{name} belongs to the installed package; copy it to ./domains to mend it.")
    return find_folder(name)


def _put_back(folder: Path) -> list[str]:
    """Put back what is parked, if the folder can then be loaded, and say what; errors: UsageError if it cannot."""
    with building_beside(folder) as place:
        new = Path(shutil.copytree(folder, place / folder.name))
        found = put_back(new)
        try:
            load_domain(new)
        except BrokenDomain as error:
            raise UsageError(f"What is parked cannot be put back as it is; mend it by hand: {error}") from error
        exchange(new, folder)
    return [f"put back: {each}" for each in found]


class _SeenProgress(Progress):
    """A progress whose notes are written down, too, for the studio."""

    def __init__(self, what: str, see: Callable[[str], None]) -> None:
        super().__init__(what)
        self._see = see

    def tell(self, note: str) -> None:
        super().tell(note)
        self._see(note)


class _Mender:
    """Runs the steps whose gates fail, each on a copy that takes the folder's place once it is checked."""

    def __init__(self, folder: Path, said: Mapping[str, str]) -> None:
        self.mended: list[str] = []
        self.told: list[str] = []
        self.report = CheckReport(Told(folder))  # of nothing yet
        self._folder = folder
        path = beside(folder, MENDING)
        before = parse_json(read_text(path)).get("complaints", []) if path.is_file() else []
        known = {(each["name"], each["words"]): Complaint(**each) for each in before}  # of a run that was stopped
        self._complaints = [known.get((each.name, each.words), each) for each in read_complaints(folder, said)]
        self._unmet = unmet(folder, self._complaints)

    @property
    def left(self) -> dict[str, list[str]]:
        """What each gate still complains of."""
        found = {name: [*_complaints(gate), *gate.stopped] for name, gate in self.report.gates.items()}
        found["complaints"] = [f"{each.name}: {each.words}" for each in self._unmet]
        return {name: own for name, own in found.items() if own}

    def note(self, note: str, *, is_over: bool = False) -> None:
        """Write down how it goes, or that it is over."""
        path = beside(self._folder, MENDING)
        if is_over:
            path.unlink(missing_ok=True)
            return
        content: dict[str, Any] = {"note": note, "mended": self.mended, "told": self.told, "left": self.left}
        content["complaints"] = [asdict(each) for each in self._complaints]
        with replacing(path) as file:
            file.write(json.dumps(content, ensure_ascii=False).encode())

    async def run(self, arguments: argparse.Namespace, book: AnswerBook, progress: Progress) -> None:
        """Take the steps in order, then settle the tasks; errors: UsageError, ModelFailed."""
        about = sum(map(self._questions, STEPS))
        watcher = BuildWatcher(book, progress, relay_folders(arguments.model), about, is_whole=False)
        models = choose_models_of(arguments, _ASKED, book)
        asker = MendAsker(models, watcher, arguments.repairs, arguments.max_cost)
        for number, step in enumerate(STEPS):
            if self._faults(step) or step.follows & {*self.mended}:
                asker.questions = asker.asked + sum(map(self._questions, STEPS[number:]))
                watcher.began([step.stage], number, len(STEPS) + 1)
                await self._take(step, asker)
        if (self._folder / TASKS).is_file():
            self._settle_tasks(progress)

    def _questions(self, step: MendStep) -> int:
        """Return about how many questions a step asks."""
        return ceil(self._faults(step) / step.at_once) if step.at_once else 0

    def _faults(self, step: MendStep, report: CheckReport | None = None, folder: Path | None = None) -> int:
        gates = (report or self.report).gates
        found = sum(len(_complaints(gate)) for name, gate in gates.items() if name in step.gates)
        said = self._unmet if folder is None else unmet(folder, self._complaints)
        return found + sum(each.step == step.name for each in said)

    async def _take(self, step: MendStep, asker: MendAsker) -> None:
        """Take a step on a copy, and swap it in if fewer complaints of its gates, and no others, are left."""
        later = {gate for each in STEPS[STEPS.index(step) + 1 :] for gate in each.gates}
        with building_beside(self._folder) as place:
            new = place / self._folder.name
            try:
                blamed = {each.name: each.words for each in self._unmet if each.step == step.name}
                lost = await take_step(step, asker, self._folder, new, blamed)
            except (StageFailed, ProofFailed, BrokenDomain) as failed:
                lost = [str(failed)]
            if not new.exists():
                self.told += [f"not mended: {step.name}: {each}" for each in lost]
                return
            report = check_rest(new, step.leaves | _OF_TASKS, self.report)
            gates = report.gates.items()
            worse = [
                name
                for name, gate in gates
                if name not in later | step.gates and len(_complaints(gate)) > len(_complaints(self.report.gates[name]))
            ]
            if worse or self._faults(step, report, new) >= max(self._faults(step), 1):
                why = f"{_named(worse)} would fail" if worse else "as many complaints are left"
                self.told.append(f"not mended: {step.name}: {why}")
                return
            self._swap(new, report)
        self.mended.append(step.name)

    def _settle_tasks(self, progress: Progress) -> None:
        """Prove the tasks, compose again those that do not hold, and prove all of them."""
        progress.tell("finding requests that decide each other")
        self.told += [found] if (found := refresh_interlocks(self._folder)) else []
        progress.tell("proving the tasks")
        others = {job for job, _ in self.report.answers}
        report = check_rest(self._folder, others, self.report)
        is_retold = any(each.step == "scenarios" for each in self._complaints if each not in self._unmet)
        lost = None if is_retold else report.lost_tasks
        if is_retold or report.gates["tasks"].faults or report.gates["worth"].faults:
            with building_beside(self._folder) as place:
                new = Path(shutil.copytree(self._folder, place / self._folder.name))
                progress.tell("composing tasks again")
                self.told += remake_tasks(new, lost, _complaints(report.gates["worth"]))
                report = check_rest(new, others, self.report)
                self._swap(new, report)
            self.mended.append("tasks")
        self.report = report

    def _swap(self, new: Path, report: CheckReport) -> None:
        """Let a checked copy take the place of the folder."""
        write_figures(new, {name for name, gate in report.gates.items() if gate.passed})
        exchange(new, self._folder)
        self.report, self._unmet = report, unmet(self._folder, self._complaints)


def _complaints(gate: Gate) -> Sequence[str]:
    return [*gate.faults, *gate.known]


def _named(names: Sequence[str]) -> str:
    return ", ".join(names)
