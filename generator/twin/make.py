"""From a settled source to a folder: the draft of the second author goes the way of a model's and ends alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from generator.author.design import ToolDesign
from generator.author.draft import Draft
from generator.author.finish import Finished, figures_of, finish
from generator.gates.folder import FolderRequest
from generator.graph.find import prove_graph, with_chain_flows
from generator.isolation.job import Job, ProofFailed
from generator.isolation.process import run_each_job, run_jobs
from generator.scenarios.lint import ScenariosRequest, prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.plan import read_task_id
from generator.twin.author import draft_of
from generator.twin.operations import offer_operations
from generator.twin.recording import RecordingRequest, record_calls
from generator.twin.scenes import Rows, ScenarioBook
from generator.twin.source import SourceSchema
from generator.twin.world import given_database, write_world
from runtime.errors import BrokenDomain, RejectionKind, StageFailed, WorldsmithError
from runtime.wording import counted

GIVEN = "given.db"  # exactly the rows that were taken, for `serve --world`
MOST_TASKS = 40
_TASKS_PER_SCENARIO = 4  # at most, so that a few kinds of tasks do not pass for many
_VERSION = "1.0.0"
_SHARES = 2  # of the tools whose calls are recorded
_KNOWN = ["calendar", "history"]  # given rows keep to no tools of ours


@dataclass
class WrittenTwin:
    """What was written, for the terminal and `--json`."""

    tables: int
    tools: int
    tasks: int = 0
    kinds: int = 0
    """Scenarios that the tasks begin with."""
    tools_used: int = 0
    """By the reference chains of the tasks."""
    levels: dict[int, int] = field(default_factory=dict)
    account: dict[str, Any] = field(default_factory=dict)
    losses: list[str] = field(default_factory=list)
    opened: dict[str, list[str]] = field(default_factory=dict)
    """Operations that stay open, by the reason."""
    dropped: dict[str, str] = field(default_factory=dict)
    """Scenarios by rule that were left out, each with its first fault."""

    @property
    def summary(self) -> str:
        """What was made, in a sentence or two."""
        made = f"{counted(self.tables, 'table')}, {counted(self.tools, 'tool')}, {counted(self.tasks, 'task')}"
        if not self.tasks:
            return f"{made}: no request could be made of its tables by rule."
        kinds = "one kind" if self.kinds == 1 else f"{self.kinds} kinds"
        levels = ", ".join(f"{many} of level {level}" for level, many in sorted(self.levels.items()))
        return f"{made}. The tasks are of {kinds} ({levels}) and use {self.tools_used} of {self.tools} tools."


def write_twin(
    settled: SourceSchema,
    folder: Path,
    name: str,
    origin: str,
    *,
    real_rows: bool,
    say: Callable[[str], None],
    tasks: int = MOST_TASKS,
) -> WrittenTwin:
    """Write all files of a twin, with at most `tasks` tasks; errors: UsageError, StageFailed."""
    say("growing its world")
    world = write_world(settled)
    operations = offer_operations(settled)
    draft = draft_of(settled, operations, name, origin, world)
    try:
        say("recording cases")
        draft, rows = _with_cases(draft, settled)
        say("writing scenarios")
        tools = {tool.name for tool in draft.catalogue.tools}
        draft = _with_scenarios(
            draft, ScenarioBook(settled, [each for each in operations if each.name in tools], rows), say
        )
        losses, opened = settled.losses, grouped(settled.opened)
        finished = finish(
            draft,
            folder,
            {"twin_of": origin, "known": _KNOWN, **({"renamed": settled.renamed} if settled.renamed else {})},
            figures_of(draft),
            say,
            version=_VERSION,
            tasks=min(tasks, _TASKS_PER_SCENARIO * len(draft.scenarios)),
            real_rows=real_rows,
            appendix="\n".join(_appendix(settled, losses, opened, real_rows=real_rows)),
        )
    except (ProofFailed, BrokenDomain) as failed:
        raise StageFailed(f"The twin could not be proven: {failed}") from failed
    if real_rows:
        given_database(settled, folder / GIVEN)
    return _written(settled, draft, finished, losses, opened)


def grouped(opened: dict[str, str]) -> dict[str, list[str]]:
    """Return what stays open by the reason, the commonest first."""
    found: dict[str, list[str]] = {}
    for said, why in opened.items():
        kind, is_special, special = why.partition(" (")
        found.setdefault(kind, []).append(f"{said} ({special}" if is_special else said)
    return dict(sorted(found.items(), key=lambda each: -len(each[1])))


def _written(
    settled: SourceSchema, draft: Draft, finished: Finished, losses: list[str], opened: dict[str, list[str]]
) -> WrittenTwin:
    made, names = finished.made, [each.name for each in draft.scenarios]
    leads = {found.lead for task in made.tasks if (found := read_task_id(task.id, names)) is not None}
    return WrittenTwin(
        len(settled.tables),
        len(draft.catalogue.tools),
        len(made.tasks),
        len(leads),
        len(made.covered),
        made.worth.levels,
        settled.account.as_json,
        losses,
        opened,
        dict(draft.lost_scenarios),
    )


def _with_cases(draft: Draft, settled: SourceSchema) -> tuple[Draft, Rows]:
    """Record cases; leave out kinds of rejection to which no call comes, and tools with which none succeeds.

    Return the rows of a world, too, whose values people mention.
    """
    with draft.laid_out() as folder:
        shares = run_jobs(record_calls, [RecordingRequest(folder, each, _SHARES) for each in range(_SHARES)])
    cases = {topic: own for share in shares for topic, own in share.cases.items()}
    unmet = {tool: kinds for share in shares for tool, kinds in share.unmet.items()}
    failed = {tool: "no call of it succeeds in a world of the twin" for share in shares for tool in share.failed}
    settled.opened.update(failed)
    catalogue = draft.catalogue.model_copy(
        update={"tools": [_without(unmet.get(tool.name, ()), tool) for tool in draft.catalogue.tools]}
    )
    cases = {topic.name: cases[topic.name] for topic in catalogue.topics}
    return replace(draft, catalogue=catalogue, cases=cases).dropping(failed), shares[0].rows


def _without(kinds: Collection[RejectionKind], tool: ToolDesign) -> ToolDesign:
    kept = [each for each in tool.preconditions if each.otherwise not in kinds]
    return tool.model_copy(update={"preconditions": kept})


def _with_scenarios(draft: Draft, book: ScenarioBook, say: Callable[[str], None]) -> Draft:
    """Write scenarios by rule, leave out those that their gates refuse, and find the graph."""
    draft = book.added_to(draft)
    say(f"trying {counted(len(draft.scenarios), 'scenario')}")
    with draft.laid_out() as folder:
        asked = FolderRequest(folder)
        jobs: list[tuple[Job[Any, Any], Any]] = [(prove_graph, asked)]
        if draft.scenarios:
            jobs += [(measure_guesses, asked), (prove_scenarios, ScenariosRequest(folder, worded=True))]
        graph, *told = run_each_job(jobs)
    if failed := next((each for each in (graph, *told) if isinstance(each, WorldsmithError)), None):
        raise failed
    draft = replace(draft, graph=graph)
    if told:
        guessed, judged = told
        dropped = {each.name: each.faults[0] for each in judged.scenarios if each.faults}
        dropped |= {each.scenario: each.fault for each in guessed.scenarios if each.is_guessable}
        draft = replace(book.added_to(draft, without=dropped), lost_scenarios=dropped)
    if draft.scenarios:
        with draft.laid_out() as folder:
            draft = replace(draft, graph=with_chain_flows(folder, graph))
    return draft


def _appendix(
    settled: SourceSchema, losses: Sequence[str], opened: dict[str, list[str]], *, real_rows: bool
) -> Iterator[str]:
    """Yield the end of the README: where rows come from, the account, what is lost, what stays open."""
    yield from ("## The account", "")
    if real_rows:
        yield "**Its worlds grow from the given rows, which may describe real people.** `--synthetic` makes rows up."
        yield f"`{GIVEN}` holds exactly these rows, for `worldsmith serve --world`."
        yield ""
    rows = settled.account.rows
    yield from ("| table | rows of the source | in the twin | left out |", "| --- | --- | --- | --- |")
    for table in settled.tables.values():
        own = rows.get(table.said)
        left = ", ".join(f"{many:,} {why}" for why, many in own.left_out.items()) if own else ""
        yield f"| {table.name} | {own.given if own else 0:,} | {own.kept if own else 0:,} | {left} |"
    parts = settled.account.as_json["parts"]
    if parts:
        yield from ("", "| part | kept | changed | lost |", "| --- | --- | --- | --- |")
        yield from (f"| {part} | {own['kept']} | {own['changed']} | {own['lost']} |" for part, own in parts.items())
    yield from ("", "## What the source has and this twin lacks", "")
    yield from [f"- {' '.join(each.split())}" for each in losses] or ["Nothing."]
    if opened:
        yield from ("", "## Left open", "", "The source does not fix what these do, so they are not tools:", "")
        yield from (f"- {why}: {', '.join(each)}" for why, each in opened.items())
