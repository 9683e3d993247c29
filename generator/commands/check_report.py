"""What a check found: a table of gates, each with its figures in words and in JSON, its faults and its notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from generator.gates.calls.random_calls import prove_random_calls
from generator.gates.cases.run import CasesReport, prove_cases
from generator.gates.folder import FolderReport
from generator.gates.lively import LivelyReport, find_lifeless
from generator.gates.mutants import prove_mutants
from generator.gates.past.history import PastReport, prove_past
from generator.gates.rules.handbook import HandbookReport, prove_handbook
from generator.gates.rules.prove import RulesReport, prove_rules
from generator.gates.worlds import WorldsReport, prove_worlds
from generator.gates.worth import FEWEST_TASKS, Worth, find_worth
from generator.graph.find import EvidenceReport, recheck_graph
from generator.isolation.job import Answer, Job, LimitReached
from generator.scenarios.lint import prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.proofs.recheck import recheck_tasks
from generator.tasks.proofs.shortcuts import ShortcutCounts, describe_shortcuts
from runtime.compiling import UNFILLED
from runtime.domain.handbook import HANDBOOK
from runtime.domain.load import RULES, SERVED
from runtime.errors import WorldsmithError
from runtime.sandbox.files import read_text
from runtime.wording import counted

ANSWERS, CASES, GRAPH, SCENARIOS, TASKS = "answers.jsonl", "cases.jsonl", "graph.json", "scenarios.py", "tasks.jsonl"
LEAST_KILLED = 0.9  # of the mutants
_CALLS = ("calls", "successes", "rejections", "faults", "violations", "changes_on_rejection")


@dataclass
class Gate:
    """One line of a check: its figure in words, its faults, its part of the JSON, and what else it says.

    A gate that did not run has not failed.
    """

    figure: str
    faults: Sequence[str] = ()
    figures: dict[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    survivors: Sequence[str] = ()
    missing: str = ""  # a file that a person may leave out
    lines: Sequence[str] = ()  # further figures in words
    ran: bool = True
    stopped: Sequence[str] = ()  # limits of ours that stopped it before its end
    known: Sequence[str] = ()  # faults that the card of the domain owns up to

    @property
    def passed(self) -> bool | None:
        """False if it failed, None if it did not run to its end, or fails as its card says."""
        return False if self.faults else None if self.stopped or self.known or not self.ran else True

    @property
    def verdict(self) -> str:
        """One word for a person."""
        found = {"FAILED": self.faults, "stopped": self.stopped, "known": self.known, "-": not self.ran}
        return next((word for word, is_so in found.items() if is_so), "ok")


@dataclass(frozen=True)
class Told:
    """What the jobs of a check told about a folder, or the error of each."""

    folder: Path
    described: FolderReport | None = None
    answers: Sequence[tuple[Job[Any, Any], Any]] = ()
    mutants: bool = True  # whether they are wanted

    @property
    def is_generated(self) -> bool:
        """True if a generator made the folder, which must have what it makes; one by hand may do without."""
        return self.has(ANSWERS)

    def has(self, file: str) -> bool:
        """Return whether the folder has a file."""
        return (self.folder / file).is_file()

    def ran(self, *jobs: Job[Any, Any]) -> bool:
        """Return whether one of these jobs was started."""
        return any(own in jobs for own, _ in self.answers)

    def all_of(self, job: Job[Any, Answer]) -> list[Answer]:
        """Return what a job told, as often as it ran without an error."""
        return [each for own, each in self.answers if own is job and not isinstance(each, WorldsmithError)]

    def of(self, job: Job[Any, Answer], nothing: Answer) -> Answer:
        """Return what a job told that runs once; `nothing` if it did not come to its end."""
        return next(iter(self.all_of(job)), nothing)

    def errors(self, *jobs: Job[Any, Any]) -> list[WorldsmithError]:
        """Return why jobs did not come to their end."""
        return [each for own, each in self.answers if own in jobs and isinstance(each, WorldsmithError)]


def _constraints(told: Told) -> Gate:
    """Constraints refuse what they must."""
    own = told.of(prove_worlds, WorldsReport()).constraints
    figures = {"constraints": {"attacked": own.attacked, "refused": own.refused}}
    ran = bool(told.all_of(prove_worlds))  # or else the gate of worlds says why not
    return Gate(f"{own.refused} of {own.attacked} refuse", own.faults, figures, ran=ran)


def _worlds(told: Told) -> Gate:
    """Worlds are sound, lively and the same in every process."""
    report, other = told.of(prove_worlds, WorldsReport()), told.of(find_lifeless, LivelyReport([]))
    worlds = report.worlds
    differing = [size for size, image in other.images.items() if size in worlds and worlds[size].image != image]
    faults = [*report.others, *(f"world of size {size}: another process builds another one" for size in differing)]
    rows = ", ".join(f"{world.rows:,}" for world in worlds.values()) or "no"
    figures = {"worlds": {size: asdict(world) for size, world in worlds.items()}}
    if told.is_generated:
        return Gate(f"{rows} rows", [*faults, *other.faults], figures)
    return Gate(f"{rows} rows", faults, figures, other.faults)  # whether it is lively enough is its author's decision


def _cases(told: Told) -> Gate:
    """Every case of a tool has its expected outcome."""
    report = told.of(prove_cases, CasesReport([], []))
    kinds = {kind: sum(case.kind == kind for case in report.cases) for kind in ("success", "rejection", "unexpected")}
    faults = []
    for case in report.unexpected:
        more = f" (and {len(case.differences) - 1} more)" if len(case.differences) > 1 else ""
        faults.append(f"{case.id or case.tool} ({case.tool}): {case.differences[0]}{more}")
    figure = f"{counted(kinds['success'], 'success')}, {counted(kinds['rejection'], 'rejection')}"
    return Gate(f"{figure}, {kinds['unexpected']} unexpected", [*faults, *report.uncovered], {"cases": kinds})


def _mutants(told: Told) -> Gate:
    """Cases notice enough of the faults planted in tools."""
    reports = told.all_of(prove_mutants)
    total, killed = sum(report.total for report in reports), sum(report.killed for report in reports)
    figures = {"mutants": {"total": total, "killed": killed}}
    if not told.mutants or not told.has(CASES):
        return Gate(f"need {CASES}" if told.mutants else "not run", figures=figures, ran=False)
    survivors = [
        f"{tool}, line {each.line}: {each.description}"
        for report in reports
        for tool, own in report.by_tool.items()
        for each in own.survivors
    ]
    figure = f"{killed} of {total} killed{f', {killed / total:.0%}' if total else ''}"
    return Gate(figure, _too_few(killed, total), figures, survivors=survivors)


def _rules(told: Told) -> Gate:
    """Rules do what their cases say, and enough planted faults are noticed."""
    report = told.of(prove_rules, RulesReport())
    own = report.figures
    cases = f"{own.allowed} allowed and {own.denied} denied cases"
    figure = f"{counted(own.rules, 'rule')}, {cases}, {own.killed} of {counted(own.mutants, 'mutant')} killed"
    faults = [*report.faults, *_too_few(own.killed, own.mutants)]
    return Gate(figure, faults, {"rules": asdict(own)}, report.notes, report.survivors)


def _policy(told: Told) -> Gate:
    """Rules name nothing that is not there."""
    dead = told.of(prove_rules, RulesReport()).dead
    return Gate(f"{counted(len(dead), 'dead name')} in rules and duties", dead)


def _handbook(told: Told) -> Gate:
    """The articles in force decide every rule case and are found; every other version decides one wrongly."""
    report = told.of(prove_handbook, HandbookReport())
    own = report.figures
    figure = (
        f"{counted(own.own, 'article')} in force, {own.versions - own.own} others, {own.right} of {own.cases} right"
    )
    lines = [
        f"handbook: {own.right} of {counted(own.cases, 'rule case')} decided by the articles in force, "
        f"{own.right_first} by the first version found; {own.others} articles of other offices; "
        f"{own.by_citation} with rules are found by citation only"
    ]
    return Gate(figure, report.faults, {"handbook": asdict(own)}, lines if told.all_of(prove_handbook) else ())


def _history(told: Told) -> Gate:
    """The worlds could have come about under the rules."""
    own = told.of(prove_past, PastReport()).history
    asked = {code: {"asked": each.asked, "forbidden": each.forbidden} for code, each in own.rules.items()}
    return Gate(own.figure, own.faults, {"history": asked}, ran=bool(told.all_of(prove_past)))


def _calendar(told: Told) -> Gate:
    """The worlds could have come about under the tools."""
    own = told.of(prove_past, PastReport()).calendar
    return Gate(own.figure, own.faults, {"calendar": {"rows": own.rows, "broken": own.broken_rows}})


def _graph(told: Told) -> Gate:
    """Every edge has its evidence, and every data flow of a chain is an edge."""
    nothing = EvidenceReport(0, 0, 0.0, {}, [])
    report = told.of(recheck_graph, nothing)
    figures = {name: getattr(report, name) for name in ("nodes", "edges", "density", "kinds")}
    lacks_edges = report is not nothing and told.is_generated and not report.edges
    faults = [*report.faults, *["no tool depends on another; every generated domain has dependencies"] * lacks_edges]
    size = f"{counted(report.nodes, 'tool')}, {counted(report.edges, 'edge')}"
    return Gate(f"{size}, density {report.density:.3f}", faults, {"graph": figures})


def _scenarios(told: Told) -> Gate:
    """Every scenario finds rows, is sound, and cannot be guessed."""
    scenarios = [each for report in told.all_of(prove_scenarios) for each in report.scenarios]
    guessed = [each for report in told.all_of(measure_guesses) for each in report.scenarios]
    faults = [f"{each.name}: {fault}" for each in scenarios for fault in each.faults]
    faults += [f"{each.scenario}: {each.fault}" for each in guessed if each.is_guessable]
    called = {tool for each in scenarios for tool in each.tools}
    tools, writing = (told.described.tools, told.described.writing) if told.described else ([], [])
    uncalled = [name for name in writing if name not in called]
    notes = [f"no scenario calls {', '.join(uncalled)}"] if uncalled else []
    figure = f"{counted(len(scenarios), 'scenario')} calling {len(called)} of {counted(len(tools), 'tool')}"
    return Gate(figure, faults, notes=notes)


def _calls(told: Told) -> Gate:
    """Random calls crash no tool and break no constraint."""
    reports = told.all_of(prove_random_calls)
    sums = {name: sum(getattr(report, name) for report in reports) for name in _CALLS}
    differing = sum(report.resets_that_differ for report in reports)
    leaks = sum(report.leaks for report in reports)
    faults = [failure.line for report in reports for failure in report.failures]
    faults += [f"{counted(differing, 'reset')} did not lead back to the world"] * bool(differing)
    faults += [f"{counted(leaks, 'session')} changed that nobody called"] * bool(leaks)
    never = sorted(set.intersection(*(set(report.never_succeeded) for report in reports))) if reports else []
    notes = [f"no random call succeeded on {', '.join(never)}"] if never else []
    figure = f"{sums['calls']:,} calls, {sums['successes']:,} successes, {sums['rejections']:,} rejections"
    return Gate(figure, faults, {"random_calls": sums}, notes)


def _tasks(told: Told) -> Gate:
    """Every task is proven again."""
    rejected, passed, tried = Counter[str](), Counter[str](), Counter[str]()
    shortcuts, not_remade = ShortcutCounts(), dict[str, str]()
    shares = told.all_of(recheck_tasks)
    for share in shares:
        rejected.update(share.rejected)
        passed.update({name: counts[0] for name, counts in share.proofs.items()})
        tried.update({name: counts[1] for name, counts in share.proofs.items()})
        shortcuts.add(share.shortcuts)
        not_remade |= share.not_remade
    figures = {
        "kept": sum(share.kept for share in shares),
        "rejected": dict(rejected),
        "proofs": {name: [passed[name], count] for name, count in tried.items()},
        "tools_covered": len({tool for share in shares for tool in share.tools}),
        "remade": sum(share.remade for share in shares),
    }
    if not told.ran(recheck_tasks):
        return Gate("not there", figures={"tasks": figures}, missing=TASKS, ran=False)
    of_all = f"{figures['kept']} of {sum(share.tasks for share in shares)} proven"
    figure = f"{of_all}, {passed.total():,} of {counted(tried.total(), 'trial')} passed"
    notes = [
        f"{counted(len(not_remade), 'task')} cannot be made again, such as {first}: {why}; so what only scenarios know "
        "(how rows are chosen, values kept back, mistakes, counterfactuals) is not proven"
        for first, why in list(not_remade.items())[:1]
    ]
    notes += [*describe_shortcuts(shortcuts), *shortcuts.faults] if shares else []
    return Gate(figure, [fault for share in shares for fault in share.faults], {"tasks": figures}, notes)


def _worth(told: Told) -> Gate:
    """The figures of the tasks are in range; of a handwritten domain they are only noted."""
    own = told.of(find_worth, Worth())
    figure = f"{counted(len(own.misses), 'figure')} out of range" if own.misses else "every figure in range"
    if own.tasks < FEWEST_TASKS:
        figure = f"{counted(own.tasks, 'task')}, {FEWEST_TASKS} are needed to judge"
    figures = {"worth": own.as_json()}
    lines = [*own.lines, *own.uses] if own.tasks else []
    if own.is_binding:
        return Gate(figure, own.misses, figures, lines=lines)
    return Gate(figure, [], figures, [f"worth: {miss}" for miss in own.misses], lines=lines, ran=False)


@dataclass(frozen=True)
class _Row:
    """A gate, what it finds, the jobs whose errors are its own, and the file that it is about.

    Where the file is not there, `lacks` says what that means: a fault of a generated folder, and missing from one by
    hand. Without `lacks` the gate is left out.
    """

    name: str
    find: Callable[[Told], Gate]
    jobs: tuple[Job[Any, Any], ...] = ()
    file: str = ""
    lacks: str = ""


_GATES = (
    _Row("constraints", _constraints),
    _Row("worlds", _worlds, (prove_worlds, find_lifeless)),
    _Row("cases", _cases, (prove_cases,), CASES, "tools are untested"),
    _Row("mutants", _mutants, (prove_mutants,)),
    _Row("rules", _rules, (prove_rules,), RULES),
    _Row("policy", _policy, file=RULES),
    _Row("handbook", _handbook, (prove_handbook,), HANDBOOK),
    _Row("history", _history, file=RULES),
    _Row("calendar", _calendar, (prove_past,)),
    _Row("graph", _graph, (recheck_graph,), GRAPH, "which tools depend on which is not known"),
    _Row("scenarios", _scenarios, (prove_scenarios, measure_guesses), SCENARIOS),
    _Row("random calls", _calls, (prove_random_calls,)),
    _Row("tasks", _tasks, (recheck_tasks,)),
    _Row("worth", _worth, (find_worth,), TASKS),
)


class CheckReport:
    """All gates of a domain by name, in the order of the report, and the figures that go into the JSON."""

    def __init__(self, told: Told) -> None:
        described = told.described
        self.domain = described.domain if described else told.folder.name
        self.title = described.title if described else told.folder.name
        self.gates: dict[str, Gate] = {}
        self.figures: dict[str, Any] = {"tools": 0, "tables": 0}
        self.figures["tokens"] = {"prompt": 0, "completion": 0, "estimated": False, "by_stage": {}}
        for row in _GATES:  # the names that the JSON always has
            self.figures |= row.find(Told(told.folder / "nothing")).figures
        self.missing: list[str] = []
        self.notes: list[str] = []
        self.survivors: list[str] = []
        self._told = told

    def named(self, *kinds: str) -> list[str]:
        """Return faults, limits that stopped a gate, or what the card owns up to, each under the name of its gate."""
        gates = [(kind, *each) for kind in kinds for each in self.gates.items()]
        return [f"{name}: {each}" for kind, name, gate in gates for each in getattr(gate, kind)]

    @property
    def faults(self) -> list[str]:
        """Every fault, under the name of its gate."""
        return self.named("faults")

    @property
    def answers(self) -> Sequence[tuple[Job[Any, Any], Any]]:
        """The jobs that ran, each with what it told."""
        return self._told.answers

    @property
    def lost_tasks(self) -> list[str]:
        """The ids of tasks that are not proven."""
        return [name for share in self._told.all_of(recheck_tasks) for name in share.lost]

    @property
    def passed(self) -> bool:
        """True if no gate failed but as the card says, and none was stopped."""
        return not any(gate.faults or gate.stopped for gate in self.gates.values())

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {
            "domain": self.domain,
            **self.figures,
            "gates": {name: gate.passed for name, gate in self.gates.items()},
            "missing": self.missing,
            "notes": self.notes,
            **{kind: self.named(kind) for kind in ("faults", "stopped", "known")},
            "ok": self.passed,
        }

    def add_load(self, described: FolderReport) -> None:
        """Add the gate of loading; note what `worldsmith new --draft` left for a person to fill in."""
        folder = self._told.folder
        self.figures |= {"tools": len(described.tools), "tables": len(described.tables)}
        self.figures["tokens"] |= described.tokens if isinstance(described.tokens, dict) else {}
        faults = [f"parameter {name!r} has no description" for name in described.undescribed]
        self._add("load", Gate("every rule of the folder holds", faults))
        for path in [*map(folder.joinpath, SERVED), *sorted((folder / "tools").glob("*.py"))]:
            text = read_text(path) if path.is_file() else ""
            lines = [str(number) for number, line in enumerate(text.splitlines(), 1) if UNFILLED in line]
            if lines:
                name = path.relative_to(folder).as_posix()
                self.notes.append(f"{UNFILLED} in {name}, line {', '.join(lines)}")

    def add(self, row: _Row) -> None:
        """Add a gate of the table."""
        if not row.file or self._told.has(row.file):
            self._add(row.name, row.find(self._told), *row.jobs)
        elif row.lacks:
            lacking = f"no {row.file}: {row.lacks}"
            self.missing.append(row.file)
            is_fault = self._told.is_generated
            self.gates[row.name] = Gate("not there", [lacking]) if is_fault else Gate(lacking, ran=False)

    def _add(self, name: str, gate: Gate, *jobs: Job[Any, Any]) -> None:
        """Add a gate with the errors of its jobs."""
        errors = self._told.errors(*jobs)
        failed = [line for each in errors if not isinstance(each, LimitReached) for line in str(each).splitlines()]
        gate.stopped = list(dict.fromkeys(_with_option(each) for each in errors if isinstance(each, LimitReached)))
        gate.faults = list(dict.fromkeys([*failed, *gate.faults]))
        if errors and not any(map(self._told.all_of, jobs)):
            gate.figure = "not read"
        if self._told.described and name in self._told.described.known:
            gate.faults, gate.known = [], gate.faults
        self.gates[name] = gate
        self.figures |= gate.figures
        self.missing += [gate.missing] if gate.missing else []
        self.notes += gate.notes
        self.survivors += gate.survivors


def unloaded_report(folder: Path, error: WorldsmithError) -> CheckReport:
    """Return the report on a folder that was not loaded, so that nothing else ran."""
    report = CheckReport(Told(folder))
    if isinstance(error, LimitReached):
        report.gates["load"] = Gate("not loaded", stopped=[_with_option(error)])
    else:
        report.gates["load"] = Gate("cannot be loaded", str(error).splitlines())
    return report


def make_report(
    folder: Path,
    described: FolderReport,
    told: Sequence[tuple[Job[Any, Any], Any]],
    *,
    mutants: bool,
    only_tasks: bool = False,
) -> CheckReport:
    """Put together what each job told; an error in its place is a fault of its gate."""
    report = CheckReport(Told(folder, described, told, mutants))
    report.add_load(described)
    for row in _GATES:
        if not only_tasks or row.name == "tasks":
            report.add(row)
    if not only_tasks and not (folder / RULES).is_file():
        report.notes.append(f"no {RULES}: nothing but its tools binds an agent, so no request is denied")
    return report


def _with_option(limit: WorldsmithError) -> str:
    is_time = isinstance(limit, LimitReached) and limit.is_time
    return f"{str(limit).rstrip('.')}; raise it with --max-seconds N." if is_time else str(limit)


def _too_few(killed: int, total: int) -> list[str]:
    few = killed < LEAST_KILLED * total
    return [f"{killed} of {total} mutants were killed; at least {LEAST_KILLED:.0%} must be"] if few else []
