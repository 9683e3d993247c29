"""Mend a domain folder: the stages of a build for what a check complains of, then its tasks, without a model."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from generator.author.ask import Asker
from generator.author.build import find_dependencies, follow_chains
from generator.author.draft import PROVING, Draft
from generator.author.finish import SAMPLES, SEED, figures_of
from generator.author.folder import FolderDraft, read_draft
from generator.author.locale import describe_place
from generator.author.stage import STAGES, Stage
from generator.author.stages.past import settle_past
from generator.author.stages.rule_cases import try_rules_by_cases
from generator.author.stages.rules import policy_text, write_rules
from generator.author.stages.scenarios import mend_scenarios
from generator.author.stages.trial import sharpen, try_cases_and_calls
from generator.author.stages.world import write_world
from generator.author.writing.documents import write_readme
from generator.gates.calls.random_calls import prove_random_calls
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderRequest
from generator.gates.lively import find_lifeless
from generator.gates.mutants import prove_mutants
from generator.gates.past.history import prove_past
from generator.gates.rules.prove import prove_rules
from generator.gates.worlds import prove_worlds
from generator.gates.worth import find_worth
from generator.graph.find import write_graph
from generator.isolation.job import Job
from generator.isolation.process import run_job
from generator.scenarios.lint import prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.find_interlocks import find_interlocks
from generator.tasks.interlocks import FILE as INTERLOCKS
from generator.tasks.make import (
    DescribeRequest,
    Making,
    chain_and_rows,
    compose_all,
    describe_tasks,
    make_tasks,
    write_lines,
)
from generator.tasks.plan import CYCLE, MadeOf, is_made, read_task_id
from generator.tasks.proofs.recheck import sets_of_tasks
from generator.tasks.sessions import tasks_by_hand
from runtime.domain.load import RULES, load_domain
from runtime.domain.policy_text import POLICY
from runtime.errors import UsageError
from runtime.model.model import Answer, Request
from runtime.sandbox.files import is_there
from runtime.task.story import TIMED_FILE, load_scenarios
from runtime.task.task_file import parse_task, task_line
from runtime.wording import counted

_TRIED = 6  # candidates for the place of a task that does not hold any more: itself, then others of its kind


class MendAsker(Asker):
    """Asks under keys that hold a digest of the words: an answer counts for the very question that it was given to."""

    async def send(self, request: Request) -> Answer:
        """Return one answer; errors: as `Asker.send`."""
        turns = [[dict(turn.answer), turn.complaints] for turn in request.earlier]
        words = json.dumps([request.prefix, request.prompt, turns, request.repair])
        digest = hashlib.sha256(words.encode()).hexdigest()[:8]
        return await super().send(replace(request, key=f"{request.key}.{digest}"))


@dataclass(frozen=True)
class MendStep:
    """A stage, the gates whose complaints are its own, and jobs of a check that find the same after it as before.

    `at_once` is about how many complaints a question is asked about; 0 if no question is asked. `follows` are steps
    after which it is taken though nothing is complained of.
    """

    name: str
    gates: frozenset[str]
    run: Callable[[Asker, Draft], Awaitable[Draft]]
    leaves: frozenset[Job[Any, Any]]
    at_once: int
    follows: frozenset[str] = frozenset()

    @property
    def stage(self) -> Stage:
        """The stage of a build that it is."""
        return next(each for each in STAGES if each.name == self.name)


async def _find_graph(asker: Asker, draft: Draft) -> Draft:
    return await follow_chains(await find_dependencies(asker, draft))


async def _mend_scenarios(asker: Asker, draft: Draft) -> Draft:
    return await follow_chains(await mend_scenarios(asker, draft)) if draft.scenarios else draft


_WORLDS: frozenset[Job[Any, Any]] = frozenset({prove_worlds, find_lifeless})
_CODE: frozenset[Job[Any, Any]] = frozenset({prove_cases, prove_mutants, prove_random_calls})
_SCENARIOS: frozenset[Job[Any, Any]] = frozenset({prove_scenarios, measure_guesses})
_REST: frozenset[Job[Any, Any]] = _WORLDS | _CODE | {prove_rules, prove_past}

STEPS = (  # in the order of a build: what a step changes is checked again by those behind it
    MendStep("world", frozenset({"worlds"}), write_world, frozenset({prove_cases, prove_mutants}), 40),
    MendStep("trial", frozenset({"cases", "random calls"}), try_cases_and_calls, _WORLDS, 3),
    MendStep("sharpen", frozenset({"mutants"}), sharpen, _WORLDS | _SCENARIOS, 1),
    MendStep("rules", frozenset({"rules", "policy"}), write_rules, _WORLDS | _CODE, 0),
    MendStep("rule_cases", frozenset({"rules", "policy"}), try_rules_by_cases, _WORLDS | _CODE, 3),
    MendStep("past", frozenset({"history", "calendar"}), settle_past, frozenset({prove_cases, prove_mutants}), 40),
    MendStep("graph", frozenset({"graph"}), _find_graph, _REST | _SCENARIOS, 0),
    MendStep(
        "scenarios", frozenset({"scenarios"}), _mend_scenarios, _REST, 6, frozenset({"world", "rules", "past"})
    ),  # what other rows or rules leave no task of is no complaint of `check`
)


@dataclass(frozen=True)
class Complaint:
    """What a person says of a scenario, rule or duty, and that as it was then: the complaint is met once it differs.

    `step` is the one that can meet it.
    """

    step: str
    name: str
    words: str
    digest: str


def read_complaints(folder: Path, said: Mapping[str, str]) -> list[Complaint]:
    """Return complaints about parts of a folder, by their names; errors: UsageError if there is no such part."""
    places = {name: (step, digest) for (step, name), digest in _digests(folder).items()} if said else {}
    if unknown := [name for name in said if name not in places]:
        raise UsageError(f"Nothing here is named {unknown[0]!r}; a complaint is about one of: {', '.join(places)}.")
    return [Complaint(places[name][0], name, words, places[name][1]) for name, words in said.items()]


def unmet(folder: Path, complaints: Sequence[Complaint]) -> list[Complaint]:
    """Return the complaints about parts that are as they were."""
    digests = _digests(folder) if complaints else {}
    return [each for each in complaints if digests.get((each.step, each.name)) == each.digest]


def _digests(folder: Path) -> dict[tuple[str, str], str]:
    draft = read_draft(folder)
    parts: dict[tuple[str, str], BaseModel] = {("rules", each.code): each for each in draft.rules.parts}
    parts |= {("scenarios", each.name): each for each in draft.scenarios}
    return {place: hashlib.sha256(each.model_dump_json().encode()).hexdigest()[:8] for place, each in parts.items()}


async def take_step(step: MendStep, asker: Asker, folder: Path, new: Path, blamed: Mapping[str, str]) -> list[str]:
    """Copy a folder to a new place if a step changes it; return what it would have to drop, and then do nothing.

    `blamed` are complaints of a person, by the names of what they are about. Errors: StageFailed, ModelFailed.
    """
    draft = replace(read_draft(folder), blamed=blamed)
    asker.place = describe_place(draft.order.locale)
    after = await step.run(asker, draft)
    assert isinstance(after, FolderDraft)
    lost = {**after.dropped, **after.lost_rules}
    if not lost and (after.files() != draft.files() or after.graph != draft.graph):
        shutil.copytree(folder, new)
        after.write(new)
        if after.graph != draft.graph:
            (new / "graph.json").write_text(write_graph(after.graph), encoding="utf-8", newline="\n")
        if (new / RULES).is_file():
            (new / POLICY).write_text(policy_text(new), encoding="utf-8", newline="\n")
    return [f"{name}: {reason}" for name, reason in lost.items()]


def remake_tasks(folder: Path, lost: Collection[str] | None, misses: Sequence[str]) -> Iterator[str]:
    """Compose the tasks of a folder again that do not hold, keep the others, and say which; nobody is asked.

    Without `lost`, all that scenarios make are composed again. Where the set then still misses its figures, all of
    it is made again. Errors: UsageError, BrokenDomain.
    """
    sets = [folder / "tasks.jsonl" if each is None else each for each in sets_of_tasks(folder)]
    texts = {path: path.read_text(encoding="utf-8").splitlines() for path in sets}
    lines = {path: {parse_task(line).id: line for line in own if line.strip()} for path, own in texts.items()}
    every = {name for own in lines.values() for name in own}
    lost = sorted(filter(is_made, every)) if lost is None else lost
    timed = load_scenarios(folder, TIMED_FILE) if is_there(folder / TIMED_FILE) else {}
    names = [*load_scenarios(folder), *timed]
    made_of = {name: read_task_id(name, names) for name in every}
    used = {each for each in made_of.values() if each is not None}
    places: dict[str, list[MadeOf]] = {}
    for name in (each for each in lost if made_of.get(each) is not None):
        made = made_of[name]
        assert made is not None
        places[name] = [made]
        while len(places[name]) < _TRIED:
            made = replace(made, number=made.number + CYCLE)
            places[name] += [] if made in used else [made]
            used.add(made)
    composed = list(compose_all(Making(folder, len(places)), list(places.values()), lambda *_: None)) if places else []
    held = {each.made: each.task for each in composed if each.holds and each.task is not None}
    left, as_before = set[str](), 0
    for path, own in lines.items():
        stays = {name for name in own if name not in lost or not is_made(name)}
        seen, kept = {chain_and_rows(parse_task(own[name])) for name in stays}, dict[str, str]()
        for name, line in own.items():
            task = next((held[made] for made in places.get(name, ()) if made in held), None)
            if name in stays:
                kept[name] = line
            elif task is not None and (key := chain_and_rows(task)) not in seen:
                seen.add(key)
                kept[task.id] = task_line(task)
                as_before += kept[task.id] == own.get(task.id)
        write_lines(path, [*kept.values()])
        left |= kept.keys()
    again = [name for name in lost if name in left and is_made(name)]
    stay = [name for name in lost if name in left and not is_made(name)]
    others = sorted(left - every)
    gone = [name for name in lost if name in every - left]
    yield f"{counted(len(every - {*lost}), 'task')} kept, {len(again)} composed again, {as_before} of them as before"
    if gone:
        yield f"{len(gone)} gone ({_named(gone)}), {len(others)} in their place ({_named(others)})"
    if stay:
        yield f"not proven, and kept since no scenario makes them: {_named(stay)}"
    path = folder / "tasks.jsonl"
    if misses or run_job(find_worth, FolderRequest(folder)).misses:
        by_hand = tasks_by_hand(path, folder.name)
        making = Making(folder, len(lines[path]) - len(by_hand), SEED, least=1, beside=tuple(by_hand), replace=True)
        whole = make_tasks(making)
        if not whole.worth.misses:
            write_lines(path, [*map(task_line, by_hand), *whole.lines])
            same = sum(line in texts[path] for line in whole.lines)
            yield f"the figures of the set needed another one: {len(whole.lines)} made, {same} of them as before"


def refresh_interlocks(folder: Path) -> str:
    """Find the interlocks of a folder again if they are of an earlier state of it; return what was found, or nothing.

    Errors: UsageError, BrokenDomain.
    """
    if (
        not (folder / INTERLOCKS).is_file()
        or run_job(describe_tasks, DescribeRequest(folder, False, False)).linked is not None
    ):
        return ""
    return find_interlocks(folder).described


def _named(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def write_figures(folder: Path, passed: Collection[str]) -> None:
    """Bring a folder's card up to date: the known gates that it does not pass yet, how many tasks, and its README."""
    path, tasks = folder / "domain.json", folder / "tasks.jsonl"
    text = path.read_text(encoding="utf-8")
    card, lines = json.loads(text), tasks.read_text(encoding="utf-8").splitlines() if tasks.is_file() else []
    provenance = card.get("provenance", {})
    before = json.dumps(provenance)
    if known := provenance.pop("known", []):
        left = [name for name in known if name not in passed]
        provenance |= {"known": left} if left else {}
    if "tasks" in provenance:
        provenance["tasks"] = {**provenance["tasks"], "count": len(lines)}
    if json.dumps(provenance) != before:
        path.write_text(
            json.dumps({**card, "provenance": provenance}, indent=2, ensure_ascii=False) + "\n",
            encoding="utf-8",
            newline="\n",
        )
    readme = folder / "README.md"
    if readme.is_file():
        readme.write_text(_with_figures(folder, readme.read_text(encoding="utf-8"), lines), "utf-8", newline="\n")


def _with_figures(folder: Path, text: str, lines: Sequence[str]) -> str:
    """Return a README with the sections about tasks, and the figures, as they are now."""
    draft = read_draft(folder)
    tasks = [parse_task(line) for line in lines]
    worth = run_job(find_worth, FolderRequest(folder)) if tasks else None
    chained = {step.tool for task in tasks for step in task.chain}
    figures = [*figures_of(draft), *run_job(prove_past, FolderRequest(folder), PROVING).lines]
    if tasks:
        tools = len(load_domain(folder).tools)
        figures.append(f"{len(tasks)} proven tasks, whose chains call {len(chained)} of {tools} tools")
    new = write_readme(draft.name, draft.catalogue, draft.schema, (), tasks[:SAMPLES], worth, draft.order.locale)
    sections = {part.partition("\n")[0]: part for part in re.split(r"^(?=## )", new, flags=re.MULTILINE)}
    kept = []
    for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        title = part.partition("\n")[0]
        kept.append(sections.get(title, part) if title in ("## Sample tasks", "## What the tasks are worth") else part)
    by_shape = {_shape(f"- {figure}"): f"- {figure}" for figure in figures}
    return "\n".join(by_shape.get(_shape(line), line) for line in "".join(kept).split("\n"))


def _shape(line: str) -> str:
    """Return what a line is about: a figure without its numbers, or the rule that the past was asked about."""
    if line.startswith("- history of "):
        return line.partition(": ")[0]
    return re.sub(r"\d[\d.,%]*", "#", line)
