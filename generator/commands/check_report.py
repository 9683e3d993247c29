"""What a check found: the answers of all gates put together, and which of them pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import Any

from generator.build.roles import Tokens, tokens_of
from generator.commands.check_figures import (
    AttackedConstraints,
    CallFigures,
    CheckFigures,
    GraphFigures,
    KilledMutants,
    Outcomes,
    TaskFigures,
)
from generator.commands.check_flows import missing_flows
from generator.commands.check_plan import ANSWERS, CASES, GRAPH, SCENARIOS, TASKS, Checked
from generator.commands.read_database import MARK
from generator.gates.calls.play import Touched
from generator.gates.calls.random_calls import prove_random_calls
from generator.gates.cases.case import read_cases, read_cases_if_any, uncovered
from generator.gates.cases.run import CaseReport, prove_cases
from generator.gates.folder import FolderReport
from generator.gates.lively import find_fixed_shares, find_lifeless
from generator.gates.mutants import prove_mutants
from generator.gates.rules.prove import prove_rules
from generator.gates.worlds import WorldsReport, prove_worlds
from generator.graph.evidence import recheck_graph
from generator.scenarios.guesses import measure_guesses
from generator.scenarios.run import ScenariosReport, prove_scenarios
from generator.tasks.proofs.recheck import ProvenTasks, recheck_tasks
from generator.tasks.proofs.shortcuts import ShortcutCounts, describe_shortcuts
from runtime.domain.load import RULES, SERVED
from runtime.domain.people import is_desk_tool
from runtime.errors import UsageError
from runtime.model.book import AnswerBook
from runtime.sandbox.files import read_text
from runtime.wording import counted

LEAST_KILLED = 0.9  # of the mutants


@dataclass
class Gate:
    """One line of a check: its figure in words, and its faults; one that did not run has not failed, either."""

    figure: str
    faults: list[str] = field(default_factory=list)
    ran: bool = True


@dataclass
class CheckReport:
    """All gates of a domain by name, and the figures that go into the JSON."""

    domain: str
    title: str
    figures: CheckFigures
    gates: dict[str, Gate]
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """Every fault, under the name of its gate."""
        return [f"{name}: {fault}" for name, gate in self.gates.items() for fault in gate.faults]

    @property
    def passed(self) -> bool:
        """Whether no gate failed."""
        return not self.faults

    def as_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "domain": self.domain,
            **asdict(self.figures),
            "gates": {name: not gate.faults if gate.ran else None for name, gate in self.gates.items()},
            "missing": self.missing,
            "notes": self.notes,
            "faults": self.faults,
            "ok": self.passed,
        }


def broken_report(folder: Path, faults: Sequence[str]) -> CheckReport:
    """The report on a folder that cannot be loaded: nothing else was run; files that need no loading were read."""
    gates = {"load": Gate("cannot be loaded", list(faults))}
    if unread := unread_cases(folder):
        gates["cases"] = Gate("cannot be read", unread)
    return CheckReport(folder.name, folder.name, CheckFigures(), gates)


def unread_cases(folder: Path) -> list[str]:
    """What keeps the cases of a folder from being read; nothing if there are none."""
    try:
        read_cases_if_any(folder)
    except UsageError as error:
        return [str(error)]
    return []


def make_report(folder: Path, described: FolderReport, checked: Checked, *, mutants: bool) -> CheckReport:
    """Put together what the gates told; an error in its place is a fault of the gate."""
    figures = CheckFigures(tools=len(described.tools), tables=len(described.tables), tokens=_tokens_in(folder))
    report = CheckReport(described.domain, described.title, figures, gates={})
    # A folder with answers was generated, so it must have what a generator makes; one by hand may do without.
    is_generated = (folder / ANSWERS).is_file()
    gathering = _Gathering(report, folder, described, checked, is_generated)
    gathering.load()
    gathering.marks()
    gathering.worlds()
    gathering.cases()
    gathering.mutants(wanted=mutants)
    gathering.rules()
    gathering.graph()
    gathering.scenarios()
    gathering.calls()
    gathering.tasks()
    return report


def _tokens_in(folder: Path) -> Tokens:
    """What the answers of a generated domain took, by stage, as they were written down."""
    if not (folder / ANSWERS).is_file():
        return Tokens()
    try:
        book = AnswerBook.read(folder / ANSWERS)
    except UsageError:
        return Tokens()
    return tokens_of(book)


def _sum(tokens: Any) -> str:
    """The tokens that a card states, whatever it states."""
    try:
        return f"{tokens['prompt'] + tokens['completion']:,}"
    except (KeyError, TypeError, ValueError):
        return repr(tokens)


class _Gathering:
    """Fills a report, one gate after another."""

    def __init__(
        self, report: CheckReport, folder: Path, described: FolderReport, checked: Checked, is_generated: bool
    ) -> None:
        self._report, self._folder, self._described = report, folder, described
        self._checked, self._is_generated = checked, is_generated
        self._figures = report.figures
        self._peers = report.figures.peers

    def load(self) -> None:
        undescribed = self._described.undescribed
        self._peers["parameters_without_description"] = len(undescribed)
        faults = [f"parameter {name!r} has no description" for name in undescribed]
        counted, said = asdict(self._figures.tokens), self._described.tokens
        if self._is_generated and said != counted:
            faults.append(f"domain.json says that it took {_sum(said)} tokens; the answers say {_sum(counted)}")
        self._report.gates["load"] = Gate("every rule of the folder holds", faults)

    def marks(self) -> None:
        """Note what `worldsmith init` left for a person to fill in."""
        for path in [*map(self._folder.joinpath, SERVED), *sorted((self._folder / "tools").glob("*.py"))]:
            if not path.is_file():
                continue
            lines = [
                number
                for number, line in enumerate(read_text(path, within=self._folder).splitlines(), 1)
                if MARK in line
            ]
            if lines:
                name = path.relative_to(self._folder).as_posix()
                self._report.notes.append(f"{MARK} in {name}, line {', '.join(map(str, lines))}")

    def worlds(self) -> None:
        told = self._checked.of(prove_worlds)
        first, last = (told[0], told[-1]) if told else (WorldsReport(), WorldsReport())
        attacked = first.constraints
        self._figures.constraints = AttackedConstraints(attacked.attacked, attacked.refused)
        self._figures.worlds = worlds = first.worlds
        self._report.gates["constraints"] = Gate(attacked.figure, list(attacked.faults), ran=bool(told))
        faults = [*self._checked.errors_of(prove_worlds), *first.others]
        differing = [size for size, world in worlds.items() if last.worlds.get(size) != world]
        self._peers["resets_that_differ"] = len(differing) + sum("two builds" in fault for fault in faults)
        faults += [f"world of size {size}: another process builds another one" for size in differing]
        gaps = [fault for report in self._checked.of(find_lifeless) for fault in report.faults]
        gaps += [fault for report in self._checked.of(find_fixed_shares) for fault in report.faults]
        if self._is_generated:
            faults += gaps
        else:  # whether a world is lively enough is for whoever wrote it by hand to say
            self._report.notes += gaps
        faults += [*self._checked.errors_of(find_lifeless), *self._checked.errors_of(find_fixed_shares)]
        rows = ", ".join(f"{world.rows:,}" for world in worlds.values())
        same = "not the same every time" if self._peers["resets_that_differ"] else "the same every time"
        figure = f"{rows or 'no'} rows, {same if rows else 'no world was built'}"
        self._report.gates["worlds"] = Gate(f"{figure}{_but(faults)}", faults)

    def cases(self) -> None:
        if not (self._folder / CASES).is_file():
            self._lacks("cases", CASES, "tools are untested")
            return
        if unread := unread_cases(self._folder):
            self._report.gates["cases"] = Gate("cannot be read", unread)
            return
        faults = self._checked.errors_of(prove_cases)
        told = self._checked.of(prove_cases)
        kinds = Counter(case.kind for report in told for case in report.cases)
        self._figures.cases = Outcomes(kinds["success"], kinds["rejection"], kinds["unexpected"])
        faults += [_unexpected(case) for report in told for case in report.unexpected]
        faults += uncovered(
            read_cases(self._folder / CASES),
            {name: tool.rejects for name, tool in self._described.tools.items() if not is_desk_tool(name)},
        )
        self._report.gates["cases"] = Gate(
            f"{counted(kinds['success'], 'success')}, {counted(kinds['rejection'], 'rejection')}, "
            f"{kinds['unexpected']} unexpected",
            list(dict.fromkeys(faults)),
        )

    def mutants(self, *, wanted: bool) -> None:
        if not wanted or not (self._folder / CASES).is_file():
            self._report.gates["mutants"] = Gate("not run" if not wanted else f"need {CASES}", ran=False)
            return
        if unread_cases(self._folder):
            self._report.gates["mutants"] = Gate(f"need {CASES} that can be read", ran=False)
            return
        faults = self._checked.errors_of(prove_mutants)
        told = self._checked.of(prove_mutants)
        total, killed = sum(report.total for report in told), sum(report.killed for report in told)
        self._figures.mutants = KilledMutants(total, killed)
        if killed < LEAST_KILLED * total:
            faults.append(f"{killed} of {total} were killed; at least {LEAST_KILLED:.0%} must be")
        self._report.survivors += [
            f"{tool}, line {each.line}: {each.description}"
            for report in told
            for tool, own in report.by_tool.items()
            for each in own.survivors
        ]
        share = f", {killed / total:.0%}" if total else ""
        self._report.gates["mutants"] = Gate(f"{killed} of {total} killed{share}", faults)

    def rules(self) -> None:
        if not (self._folder / RULES).is_file():
            self._report.notes.append(f"no {RULES}: nothing but its tools binds an agent, so no request is denied")
            return
        faults = self._checked.errors_of(prove_rules)
        figure = "not read"
        for told in self._checked.of(prove_rules):
            faults += told.faults
            self._report.survivors += told.survivors
            own = self._figures.rules = told.figures
            if own.killed < LEAST_KILLED * own.mutants:
                faults.append(f"{own.killed} of {own.mutants} mutants were killed; {LEAST_KILLED:.0%} must be")
            duties = "1 duty" if own.duties == 1 else f"{own.duties} duties"
            figure = (
                f"{counted(own.rules, 'rule')}, {duties}, {own.allowed} allowed and {own.denied} denied cases, "
                f"{own.killed} of {counted(own.mutants, 'mutant')} killed"
            )
        self._report.gates["rules"] = Gate(figure, faults)

    def graph(self) -> None:
        if not (self._folder / GRAPH).is_file():
            self._lacks("graph", GRAPH, "which tools depend on which is not known")
            return
        faults = self._checked.errors_of(recheck_graph)
        figure = "not read"
        for report in self._checked.of(recheck_graph):
            faults += report.faults
            faults += missing_flows(self._checked, {*report.flows}, self._folder.name)
            self._figures.graph = GraphFigures(report.nodes, report.edges, report.density, report.kinds)
            if self._is_generated and not report.edges:
                faults.append("no tool depends on another; every generated domain has dependencies")
            size = f"{counted(report.nodes, 'tool')}, {counted(report.edges, 'edge')}"
            figure = f"{size}, density {report.density:.3f}"
        self._report.gates["graph"] = Gate(figure, faults)

    def scenarios(self) -> None:
        if not (self._folder / SCENARIOS).is_file():
            return
        faults = self._checked.errors_of(prove_scenarios)
        scenarios = [each for report in self._checked.of(prove_scenarios) for each in report.scenarios]
        faults += [f"{each.name}: {fault}" for each in scenarios for fault in each.faults]
        faults += self._checked.errors_of(measure_guesses)
        guessed = [each for report in self._checked.of(measure_guesses) for each in report.scenarios]
        faults += [f"{each.scenario}: {each.fault}" for each in guessed if each.is_guessable]
        called = {tool for each in scenarios for tool in each.tools}
        for report in self._checked.of(prove_scenarios):
            faults += _faults_of_asking(report)
            if report.asked_rules and report.unasked_rules:
                self._report.notes.append(f"no scenario asks about rule {', '.join(report.unasked_rules)}")
        tools = self._described.tools
        uncalled = [name for name, tool in tools.items() if tool.writes and name not in called]
        if uncalled:
            self._report.notes.append(f"no scenario calls {', '.join(uncalled)}")
        self._report.gates["scenarios"] = Gate(
            f"{counted(len(scenarios), 'scenario')} calling {len(called)} of {counted(len(tools), 'tool')}", faults
        )

    def calls(self) -> None:
        told, faults = self._checked.of(prove_random_calls), self._checked.errors_of(prove_random_calls)
        names = [each.name for each in fields(CallFigures)]
        sums = CallFigures(**{name: sum(getattr(report, name) for report in told) for name in names})
        self._figures.random_calls = sums
        faults += list(dict.fromkeys(failure.line for report in told for failure in report.failures))
        differing = sum(report.resets_that_differ for report in told)
        leaks = sum(report.leaks for report in told)
        if told:
            crashed = {tool for report in told for tool in report.crashed_on_unknown_ids}
            self._peers["tools_that_crash_on_unknown_ids"] = len(crashed)
            self._peers["foreign_key_violations"] = sum(report.broken_states for report in told)
            self._peers["resets_that_differ"] = (self._peers["resets_that_differ"] or 0) + differing
            self._peers["sessions_that_leak"] = leaks
        faults += [f"{counted(differing, 'reset')} did not lead back to the world"] * bool(differing)
        faults += [f"{counted(leaks, 'session')} changed that nobody called"] * bool(leaks)
        self._report.gates["random calls"] = Gate(
            f"{counted(sums.calls, 'call')}, {counted(sums.successes, 'success')}, "
            f"{counted(sums.rejections, 'rejection')}{_but(faults)}",
            faults,
        )
        never = sorted(set.intersection(*(set(report.never_succeeded) for report in told))) if told else []
        if never:
            self._report.notes.append(f"no random call succeeded on {', '.join(never)}")
        self._report.notes += self._unused_tables([report.tables for report in told], set(never))

    def _unused_tables(self, observed: Sequence[Touched], silent: set[str]) -> Iterator[str]:
        """Tables that a tool declares and was not seen to touch, in cases and random calls."""
        for name, declared in self._described.tools.items():
            if name in silent:
                continue
            written = {table for tables in observed for table in tables[name].writes}
            touched = written | {table for tables in observed for table in tables[name].reads}
            idle = [f"read {table}" for table in declared.reads if table not in touched | set(declared.writes)]
            idle += [f"write {table}" for table in declared.writes if table not in written]
            if idle:
                yield f"{name} declares to {' and '.join(idle)}, and was never seen to"

    def tasks(self) -> None:
        if not (self._folder / TASKS).is_file():
            self._report.gates["tasks"] = Gate("not there", ran=False)
            self._report.missing.append(TASKS)
            return
        told, faults = self._checked.of(recheck_tasks), self._checked.errors_of(recheck_tasks)
        figure = "not read"
        if told:
            self._figures.tasks = figures = _sum_of_shares(told)
            self._peers["do_nothing_rewarded"] = sum(share.idle_rewarded for share in told)
            self._peers["collateral_damage_rewarded"] = sum(share.collateral_rewarded for share in told)
            self._peers["tasks_without_executed_solution"] = sum(share.unsolved for share in told)
            faults += [fault for share in told for fault in share.faults]
            passed, tried = (sum(proof[at] for proof in figures.proofs.values()) for at in (0, 1))
            tasks = sum(share.tasks for share in told)
            figure = f"{figures.kept} of {tasks} proven, {passed:,} of {counted(tried, 'trial')} passed"
            self._report.notes += _not_remade({task: why for share in told for task, why in share.not_remade.items()})
            counts = ShortcutCounts()
            for share in told:
                counts.add(share.shortcuts)
            self._report.notes += [*describe_shortcuts(counts), *counts.faults]
            faults += counts.lopsided
        self._report.gates["tasks"] = Gate(figure, faults)

    def _lacks(self, gate: str, file: str, means: str) -> None:
        """A file that a person may leave out, and a generator may not."""
        self._report.missing.append(file)
        if self._is_generated:
            self._report.gates[gate] = Gate("not there", [f"no {file}: {means}"])
        else:
            self._report.gates[gate] = Gate(f"no {file}: {means}", ran=False)


def _faults_of_asking(report: ScenariosReport) -> Iterator[str]:
    """Where rules stand beside the scenarios without ever mattering to them."""
    if report.unasked_rules and not report.asked_rules:
        yield (
            f"rule {', '.join(report.unasked_rules)} guards tools that scenarios call, but no scenario asks about "
            "a rule with story.permits"
        )
    if report.can_decline and report.scenarios and not any(each.declines for each in report.scenarios):
        yield "a tool notes refusals, but no scenario ever declines a wish with story.decline"


def _sum_of_shares(shares: Sequence[ProvenTasks]) -> TaskFigures:
    """What became of all tasks, from the shares that were proven apart."""
    rejected: Counter[str] = Counter()
    proofs: dict[str, tuple[int, int]] = {}
    for share in shares:
        rejected.update(share.rejected)
        for name, (passed, tried) in share.proofs.items():
            before = proofs.get(name, (0, 0))
            proofs[name] = (before[0] + passed, before[1] + tried)
    return TaskFigures(
        kept=sum(share.kept for share in shares),
        rejected=dict(rejected),
        proofs=proofs,
        tools_covered=len({tool for share in shares for tool in share.tools}),
        remade=sum(share.remade for share in shares),
    )


def _not_remade(tasks: Mapping[str, str]) -> Iterator[str]:
    """What is not proven of tasks that cannot be made again."""
    for first, why in islice(tasks.items(), 1):
        yield (
            f"{counted(len(tasks), 'task')} cannot be made again, such as {first}: {why}; so what only scenarios know "
            "(how rows are chosen, values kept back, mistakes, twins) is not proven there"
        )


def _but(faults: Sequence[str]) -> str:
    """What a figure adds where a gate failed for something that it does not count."""
    return f", but {counted(len(faults), 'fault')}" if faults else ""


def _unexpected(case: CaseReport) -> str:
    more = f" (and {len(case.differences) - 1} more)" if len(case.differences) > 1 else ""
    return f"{case.id or case.tool} ({case.tool}): {case.differences[0]}{more}"
