"""What a check found: the answers of all gates put together, and which of them pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from generator.gates.calls.random_calls import prove_random_calls
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderReport
from generator.gates.lively import find_lifeless
from generator.gates.mutants import prove_mutants
from generator.gates.past.history import prove_past
from generator.gates.rules.prove import RuleFigures, prove_rules
from generator.gates.worlds import WorldsReport, prove_worlds
from generator.gates.worth import FEWEST_TASKS, Worth, find_worth
from generator.graph.find import recheck_graph
from generator.isolation.job import Answer, Job, LimitReached
from generator.scenarios.lint import prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.proofs.recheck import recheck_tasks
from generator.tasks.proofs.shortcuts import ShortcutCounts, describe_shortcuts
from runtime.compiling import UNFILLED
from runtime.domain.load import RULES, SERVED
from runtime.errors import WorldsmithError
from runtime.sandbox.files import read_text
from runtime.wording import counted

ANSWERS, CASES, GRAPH, SCENARIOS, TASKS = "answers.jsonl", "cases.jsonl", "graph.json", "scenarios.py", "tasks.jsonl"
LEAST_KILLED = 0.9  # of the mutants
_CALLS = ("calls", "successes", "rejections", "faults", "violations", "changes_on_rejection")


@dataclass
class Gate:
    """One line of a check: its figure in words, its faults, and the limits of ours that stopped it before its end.

    A gate that did not run has not failed.
    """

    figure: str
    faults: list[str] = field(default_factory=list)
    ran: bool = True
    stopped: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)  # faults that the card of the domain owns up to

    @property
    def passed(self) -> bool | None:
        """False if it failed, None if it did not run to its end, or fails as its card says."""
        return False if self.faults else None if self.stopped or self.known or not self.ran else True

    @property
    def verdict(self) -> str:
        """One word for a person."""
        found = {"FAILED": self.faults, "stopped": self.stopped, "known": self.known, "-": not self.ran}
        return next((word for word, is_so in found.items() if is_so), "ok")


def _no_figures() -> dict[str, Any]:
    """The figures of a check that ran nothing: the names that its JSON always has."""
    return {
        "tools": 0,
        "tables": 0,
        "cases": dict.fromkeys(("success", "rejection", "unexpected"), 0),
        "mutants": {"total": 0, "killed": 0},
        "rules": asdict(RuleFigures()),
        "calendar": {"rows": 0, "broken": 0},
        "history": {},
        "graph": {"nodes": 0, "edges": 0, "density": 0.0, "kinds": {}},
        "tokens": {"prompt": 0, "completion": 0, "estimated": False, "by_stage": {}},
        "constraints": {"attacked": 0, "refused": 0},
        "worlds": {},
        "random_calls": dict.fromkeys(_CALLS, 0),
        "tasks": {"kept": 0, "rejected": {}, "proofs": {}, "tools_covered": 0, "remade": 0},
        "worth": Worth().as_json(),
    }


class CheckReport:
    """All gates of a domain by name, in the order of the report, and the figures that go into the JSON."""

    def __init__(
        self,
        folder: Path,
        described: FolderReport | None = None,
        told: Sequence[tuple[Job[Any, Any], Any]] = (),
    ) -> None:
        self.domain = described.domain if described else folder.name
        self.title = described.title if described else folder.name
        self.gates: dict[str, Gate] = {}
        self.figures = _no_figures()
        self.missing: list[str] = []
        self.notes: list[str] = []
        self.worth: list[str] = []
        self.survivors: list[str] = []
        self._folder, self._told = folder, told
        # A folder with answers was generated, so it must have what a generator makes; one by hand may do without.
        self._is_generated = (folder / ANSWERS).is_file()
        self._known = described.known if described else []

    @property
    def faults(self) -> list[str]:
        """Every fault, under the name of its gate."""
        return [f"{name}: {fault}" for name, gate in self.gates.items() for fault in gate.faults]

    @property
    def stopped(self) -> list[str]:
        """Every limit of ours that stopped a gate, under the name of the gate."""
        return [f"{name}: {limit}" for name, gate in self.gates.items() for limit in gate.stopped]

    @property
    def known(self) -> list[str]:
        """Every fault that the card of the domain owns up to, under the name of its gate."""
        return [f"{name}: {fault}" for name, gate in self.gates.items() for fault in gate.known]

    @property
    def passed(self) -> bool:
        """True if no gate failed but as the card says, and none was stopped."""
        return not self.faults and not self.stopped

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {
            "domain": self.domain,
            **self.figures,
            "gates": {name: gate.passed for name, gate in self.gates.items()},
            "missing": self.missing,
            "notes": self.notes,
            "faults": self.faults,
            "stopped": self.stopped,
            "known": self.known,
            "ok": self.passed,
        }

    def _of(self, job: Job[Any, Answer]) -> list[Answer]:
        """What one job told, as often as it ran without an error."""
        return [each for own, each in self._told if own is job and not isinstance(each, WorldsmithError)]

    def _gate(self, name: str, figure: str, faults: Sequence[str], *jobs: Job[Any, Any]) -> None:
        """Add a gate with its own faults and the errors of its jobs."""
        errors = [each for own, each in self._told if own in jobs and isinstance(each, WorldsmithError)]
        failed = [line for each in errors if not isinstance(each, LimitReached) for line in str(each).splitlines()]
        stopped = [_with_option(each) for each in errors if isinstance(each, LimitReached)]
        faults = list(dict.fromkeys([*failed, *faults]))
        gate = self.gates[name] = Gate(figure, faults, stopped=list(dict.fromkeys(stopped)))
        if name in self._known:
            gate.faults, gate.known = [], faults

    def _lacks(self, gate: str, file: str, means: str) -> None:
        """A file that a person may leave out, and a generator may not."""
        self.missing.append(file)
        if self._is_generated:
            self.gates[gate] = Gate("not there", [f"no {file}: {means}"])
        else:
            self.gates[gate] = Gate(f"no {file}: {means}", ran=False)

    def _has(self, file: str) -> bool:
        return (self._folder / file).is_file()

    def add_load(self, described: FolderReport) -> None:
        """Every parameter has a description; notes what `worldsmith new --draft` left for a person to fill in."""
        stated = described.tokens if isinstance(described.tokens, dict) else {}
        self.figures |= {"tools": len(described.tools), "tables": len(described.tables)}
        self.figures["tokens"] |= stated
        faults = [f"parameter {name!r} has no description" for name in described.undescribed]
        self._gate("load", "every rule of the folder holds", faults)
        for path in [*map(self._folder.joinpath, SERVED), *sorted((self._folder / "tools").glob("*.py"))]:
            text = read_text(path) if path.is_file() else ""
            lines = [str(number) for number, line in enumerate(text.splitlines(), 1) if UNFILLED in line]
            if lines:
                name = path.relative_to(self._folder).as_posix()
                self.notes.append(f"{UNFILLED} in {name}, line {', '.join(lines)}")

    def add_worlds(self) -> None:
        """Constraints refuse what they must, and worlds are sound, lively and the same in every process."""
        told = self._of(prove_worlds)
        report = told[0] if told else WorldsReport()
        attacked, worlds = report.constraints, report.worlds
        self.figures["constraints"] = {"attacked": attacked.attacked, "refused": attacked.refused}
        self.figures["worlds"] = {size: asdict(world) for size, world in worlds.items()}
        self.gates["constraints"] = Gate(
            f"{attacked.refused} of {attacked.attacked} refuse", list(attacked.faults), ran=bool(told)
        )
        others = self._of(find_lifeless)  # another process has another order of sets
        images = {size: image for each in others for size, image in each.images.items()}
        differing = [size for size, image in images.items() if size in worlds and worlds[size].image != image]
        faults = [*report.others, *(f"world of size {size}: another process builds another one" for size in differing)]
        gaps = [fault for each in others for fault in each.faults]
        if self._is_generated:
            faults += gaps
        else:  # the author of a handwritten world decides whether it is lively enough
            self.notes += gaps
        figure = f"{', '.join(f'{world.rows:,}' for world in worlds.values()) or 'no'} rows"
        self._gate("worlds", figure, faults, prove_worlds, find_lifeless)

    def add_cases(self) -> None:
        """Every case of a tool has its expected outcome."""
        if not self._has(CASES):
            return self._lacks("cases", CASES, "tools are untested")
        told = self._of(prove_cases)
        kinds = Counter(case.kind for report in told for case in report.cases)
        self.figures["cases"] = {name: kinds[name] for name in self.figures["cases"]}
        faults = []
        for case in (case for report in told for case in report.unexpected):
            more = f" (and {len(case.differences) - 1} more)" if len(case.differences) > 1 else ""
            faults.append(f"{case.id or case.tool} ({case.tool}): {case.differences[0]}{more}")
        faults += [fault for report in told for fault in report.uncovered]
        figure = f"{counted(kinds['success'], 'success')}, {counted(kinds['rejection'], 'rejection')}"
        return self._gate("cases", f"{figure}, {kinds['unexpected']} unexpected", faults, prove_cases)

    def add_mutants(self, *, wanted: bool) -> None:
        """Cases notice enough of the faults planted in tools."""
        if not wanted or not self._has(CASES):
            self.gates["mutants"] = Gate(f"need {CASES}" if wanted else "not run", ran=False)
            return
        told = self._of(prove_mutants)
        total, killed = sum(report.total for report in told), sum(report.killed for report in told)
        self.figures["mutants"] = {"total": total, "killed": killed}
        self.survivors += [
            f"{tool}, line {each.line}: {each.description}"
            for report in told
            for tool, own in report.by_tool.items()
            for each in own.survivors
        ]
        share = f", {killed / total:.0%}" if total else ""
        self._gate("mutants", f"{killed} of {total} killed{share}", _too_few(killed, total), prove_mutants)

    def add_rules(self) -> None:
        """Rules do what their cases say, and enough planted faults are noticed."""
        if not self._has(RULES):
            self.notes.append(f"no {RULES}: nothing but its tools binds an agent, so no request is denied")
            return
        told = self._of(prove_rules)
        faults = [fault for report in told for fault in report.faults]
        self.survivors += [each for report in told for each in report.survivors]
        self.notes += [note for report in told for note in report.notes]
        figure = "not read"
        if told:
            own = told[0].figures
            own.mutants, own.killed = (
                sum(getattr(each.figures, name) for each in told) for name in ("mutants", "killed")
            )
            self.figures["rules"] = asdict(own)
            faults += _too_few(own.killed, own.mutants)
            figure = (
                f"{counted(own.rules, 'rule')}, {own.allowed} allowed and {own.denied} denied cases, "
                f"{own.killed} of {counted(own.mutants, 'mutant')} killed"
            )
        self._gate("rules", figure, faults, prove_rules)
        dead = [fault for report in told for fault in report.dead]
        self._gate("policy", f"{counted(len(dead), 'dead name')} in rules and duties", dead)

    def add_past(self) -> None:
        """The worlds could have come about under the tools and the rules."""
        told = self._of(prove_past)
        for report in told:
            self.figures["calendar"] = {"rows": report.calendar.rows, "broken": report.calendar.broken_rows}
            self.figures["history"] = {
                code: {"asked": own.asked, "forbidden": own.forbidden} for code, own in report.history.rules.items()
            }
            if self._has(RULES):
                self._gate("history", report.history.figure, report.history.faults)
        figure = told[0].calendar.figure if told else "not read"
        self._gate("calendar", figure, told[0].calendar.faults if told else [], prove_past)

    def add_graph(self) -> None:
        """Every edge has its evidence, and every data flow of a chain is an edge."""
        if not self._has(GRAPH):
            return self._lacks("graph", GRAPH, "which tools depend on which is not known")
        faults: list[str] = []
        figure = "not read"
        for report in self._of(recheck_graph):
            faults += report.faults
            self.figures["graph"] = {name: getattr(report, name) for name in self.figures["graph"]}
            if self._is_generated and not report.edges:
                faults.append("no tool depends on another; every generated domain has dependencies")
            size = f"{counted(report.nodes, 'tool')}, {counted(report.edges, 'edge')}"
            figure = f"{size}, density {report.density:.3f}"
        return self._gate("graph", figure, faults, recheck_graph)

    def add_scenarios(self, described: FolderReport) -> None:
        """Every scenario finds rows, is sound, and cannot be guessed."""
        if not self._has(SCENARIOS):
            return
        reports = self._of(prove_scenarios)
        scenarios = [each for report in reports for each in report.scenarios]
        faults = [f"{each.name}: {fault}" for each in scenarios for fault in each.faults]
        guessed = [each for report in self._of(measure_guesses) for each in report.scenarios]
        faults += [f"{each.scenario}: {each.fault}" for each in guessed if each.is_guessable]
        called = {tool for each in scenarios for tool in each.tools}
        if uncalled := [name for name in described.writing if name not in called]:
            self.notes.append(f"no scenario calls {', '.join(uncalled)}")
        figure = f"{counted(len(scenarios), 'scenario')} calling {len(called)} of "
        figure += counted(len(described.tools), "tool")
        self._gate("scenarios", figure, faults, prove_scenarios, measure_guesses)

    def add_calls(self) -> None:
        """Random calls crash no tool and break no constraint."""
        told = self._of(prove_random_calls)
        sums = {name: sum(getattr(report, name) for report in told) for name in _CALLS}
        self.figures["random_calls"] = sums
        differing = sum(report.resets_that_differ for report in told)
        leaks = sum(report.leaks for report in told)
        faults = [failure.line for report in told for failure in report.failures]
        faults += [f"{counted(differing, 'reset')} did not lead back to the world"] * bool(differing)
        faults += [f"{counted(leaks, 'session')} changed that nobody called"] * bool(leaks)
        figure = f"{sums['calls']:,} calls, {sums['successes']:,} successes, {sums['rejections']:,} rejections"
        self._gate("random calls", figure, faults, prove_random_calls)
        never = sorted(set.intersection(*(set(report.never_succeeded) for report in told))) if told else []
        if never:
            self.notes.append(f"no random call succeeded on {', '.join(never)}")

    def add_tasks(self) -> None:
        """Every task is proven again."""
        if not any(job is recheck_tasks for job, _ in self._told):
            self.gates["tasks"] = Gate("not there", ran=False)
            self.missing.append(TASKS)
            return
        told = self._of(recheck_tasks)
        faults = [fault for share in told for fault in share.faults]
        figure = "not read"
        if told:
            rejected, passed, tried = Counter[str](), Counter[str](), Counter[str]()
            shortcuts, not_remade = ShortcutCounts(), dict[str, str]()
            for share in told:
                rejected.update(share.rejected)
                passed.update({name: counts[0] for name, counts in share.proofs.items()})
                tried.update({name: counts[1] for name, counts in share.proofs.items()})
                shortcuts.add(share.shortcuts)
                not_remade |= share.not_remade
            self.figures["tasks"] = {
                "kept": sum(share.kept for share in told),
                "rejected": dict(rejected),
                "proofs": {name: [passed[name], count] for name, count in tried.items()},
                "tools_covered": len({tool for share in told for tool in share.tools}),
                "remade": sum(share.remade for share in told),
            }
            of_all = f"{self.figures['tasks']['kept']} of {sum(share.tasks for share in told)} proven"
            figure = f"{of_all}, {passed.total():,} of {counted(tried.total(), 'trial')} passed"
            for first, why in list(not_remade.items())[:1]:
                self.notes.append(
                    f"{counted(len(not_remade), 'task')} cannot be made again, such as {first}: {why}; so what only "
                    "scenarios know (how rows are chosen, values kept back, mistakes, counterfactuals) is not proven"
                )
            self.notes += [*describe_shortcuts(shortcuts), *shortcuts.faults]
        self._gate("tasks", figure, faults, recheck_tasks)

    def add_worth(self) -> None:
        """The figures of the tasks are in range; of a handwritten domain they are only noted."""
        if not self._has(TASKS):
            return
        worth = next(iter(self._of(find_worth)), Worth())
        self.figures["worth"] = worth.as_json()
        self.worth = [*worth.lines, *worth.uses] if worth.tasks else []
        figure = f"{counted(len(worth.misses), 'figure')} out of range" if worth.misses else "every figure in range"
        if worth.tasks < FEWEST_TASKS:
            figure = f"{counted(worth.tasks, 'task')}, {FEWEST_TASKS} are needed to judge"
        self.notes += [] if worth.is_binding else [f"worth: {miss}" for miss in worth.misses]
        self._gate("worth", figure, worth.misses if worth.is_binding else [], find_worth)
        self.gates["worth"].ran = worth.is_binding


def unloaded_report(folder: Path, error: WorldsmithError) -> CheckReport:
    """Return the report on a folder that was not loaded, so that nothing else ran."""
    report = CheckReport(folder)
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
    report = CheckReport(folder, described, told)
    report.add_load(described)
    if only_tasks:
        report.add_tasks()
        return report
    report.add_worlds()
    report.add_cases()
    report.add_mutants(wanted=mutants)
    report.add_rules()
    report.add_past()
    report.add_graph()
    report.add_scenarios(described)
    report.add_calls()
    report.add_tasks()
    report.add_worth()
    return report


def _with_option(limit: LimitReached) -> str:
    return f"{str(limit).rstrip('.')}; raise it with --max-seconds N." if limit.is_time else str(limit)


def _too_few(killed: int, total: int) -> list[str]:
    few = killed < LEAST_KILLED * total
    return [f"{killed} of {total} mutants were killed; at least {LEAST_KILLED:.0%} must be"] if few else []
