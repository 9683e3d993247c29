"""What a check found: the answers of all gates put together, and which of them pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.build.tokens import tokens_of
from generator.commands.gates import ANSWERS, CASES, GRAPH, JOB, SCENARIOS, TASKS
from generator.gates.cases.case import read_cases
from generator.gates.cases.proof import faults_of_cases
from runtime.errors import UsageError, WorldsmithError
from runtime.model.answer_book import AnswerBook
from runtime.wording import counted

LEAST_KILLED = 0.9  # of the mutants
PEERS = {  # what the nearest peers get wrong, so that it must be zero here
    "tools_that_crash_on_unknown_ids": "tools that crash on unknown ids",
    "foreign_key_violations": "states that break a constraint after use",
    "resets_that_differ": "resets or rebuilds that differ",
    "sessions_that_leak": "sessions that leak into another",
    "parameters_without_description": "parameters without a description",
    "do_nothing_rewarded": "tasks that reward doing nothing",
    "collateral_damage_rewarded": "tasks that reward collateral damage",
    "tasks_without_executed_solution": "tasks without an executed solution",
}


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
    figures: dict[str, Any]
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
            **self.figures,
            "gates": {name: not gate.faults if gate.ran else None for name, gate in self.gates.items()},
            "missing": self.missing,
            "notes": self.notes,
            "faults": self.faults,
            "ok": self.passed,
        }


def broken_report(folder: Path, faults: Sequence[str]) -> CheckReport:
    """The report on a folder that cannot be loaded: nothing else was run."""
    figures = {"tools": 0, "tables": 0, **_no_figures()}
    return CheckReport(folder.name, folder.name, figures, {"load": Gate("cannot be loaded", list(faults))})


def make_report(
    folder: Path, described: Mapping[str, Any], answers: Sequence[tuple[str, Any]], *, mutants: bool
) -> CheckReport:
    """Put the answers of the gates together; an answer that is an error is a fault of its gate."""
    report = CheckReport(
        domain=described["domain"],
        title=described["title"],
        figures={
            "tools": len(described["tools"]),
            "tables": len(described["tables"]),
            **_no_figures(),
            "tokens": _tokens_in(folder),
        },
        gates={},
    )
    # A folder with answers was generated, so it must have what a generator makes; one by hand may do without.
    is_generated = (folder / ANSWERS).is_file()
    gathering = _Gathering(report, folder, described, answers, is_generated)
    gathering.load()
    gathering.worlds()
    gathering.cases()
    gathering.mutants(wanted=mutants)
    gathering.graph()
    gathering.scenarios()
    gathering.calls()
    gathering.tasks()
    return report


def _no_figures() -> dict[str, Any]:
    return {
        "cases": {"success": 0, "rejection": 0, "unexpected": 0},
        "mutants": {"total": 0, "killed": 0},
        "graph": {"nodes": 0, "edges": 0, "density": 0.0, "kinds": {}},
        "tokens": _NO_TOKENS,
        "constraints": {"attacked": 0, "refused": 0},
        "worlds": {},
        "random_calls": dict.fromkeys(_CALL_FIGURES, 0),
        "tasks": _NO_TASKS,
        "peers": dict.fromkeys(PEERS),
    }


_NO_TOKENS: dict[str, Any] = {"prompt": 0, "completion": 0, "estimated": False, "by_stage": {}}
_CALL_FIGURES = ("calls", "successes", "rejections", "faults", "violations", "changes_on_rejection")
_TASK_COUNTS = ("tasks", "unsolved", "idle_rewarded", "collateral_rewarded")
_NO_TASKS: dict[str, Any] = {"kept": 0, "rejected": {}, "proofs": {}, "tools_covered": 0}


def _tokens_in(folder: Path) -> dict[str, Any]:
    """What the answers of a generated domain took, by stage, as they were written down."""
    if not (folder / ANSWERS).is_file():
        return _NO_TOKENS
    try:
        book = AnswerBook.read(folder / ANSWERS)
    except UsageError:
        return _NO_TOKENS
    return tokens_of(book)


def _sum(tokens: Any) -> str:
    try:
        return f"{tokens['prompt'] + tokens['completion']:,}"
    except (KeyError, TypeError, ValueError):
        return repr(tokens)


class _Gathering:
    """Fills a report, one gate after another."""

    def __init__(
        self,
        report: CheckReport,
        folder: Path,
        described: Mapping[str, Any],
        answers: Sequence[tuple[str, Any]],
        is_generated: bool,
    ) -> None:
        self._report, self._folder, self._described = report, folder, described
        self._answers, self._is_generated = answers, is_generated
        self._peers: dict[str, Any] = report.figures["peers"]

    def _of(self, gate: str) -> tuple[list[Any], list[str]]:
        """The answers of a gate, and the errors that stand in the place of others."""
        own = [answer for name, answer in self._answers if name == gate]
        errors = [str(answer).replace(JOB, gate) for answer in own if isinstance(answer, WorldsmithError)]
        lines = [line for error in errors for line in error.splitlines()]
        return [answer for answer in own if not isinstance(answer, WorldsmithError)], list(dict.fromkeys(lines))

    def load(self) -> None:
        undescribed = self._described["undescribed"]
        self._peers["parameters_without_description"] = len(undescribed)
        faults = [f"parameter {name!r} has no description" for name in undescribed]
        counted, said = self._report.figures["tokens"], self._described["tokens"]
        if self._is_generated and said != counted:
            faults.append(f"domain.json says that it took {_sum(said)} tokens; the answers say {_sum(counted)}")
        self._report.gates["load"] = Gate("every rule of the folder holds", faults)

    def worlds(self) -> None:
        answers, faults = self._of("worlds")
        nothing: dict[str, Any] = {"worlds": {}, "constraints": {"attacked": 0, "refused": 0}, "weak": [], "faults": []}
        first = answers[0] if answers else nothing
        self._report.figures["constraints"] = constraints = first["constraints"]
        self._report.figures["worlds"] = worlds = first["worlds"]
        weak = first["weak"]
        attacked, refused = constraints["attacked"], constraints["refused"]
        self._report.gates["constraints"] = Gate(f"{refused} of {attacked} refuse", weak, ran=bool(answers))
        faults += first["faults"][len(weak) :]
        differing = [size for size, world in worlds.items() if answers[-1]["worlds"].get(size) != world]
        self._peers["resets_that_differ"] = len(differing) + sum("two builds" in fault for fault in faults)
        faults += [f"world of size {size}: another process builds another one" for size in differing]
        lifeless, errors = self._of("lifeless")
        gaps = [fault for answer in lifeless for fault in answer]
        if self._is_generated:
            faults += gaps
        else:  # whether a world is lively enough is for whoever wrote it by hand to say
            self._report.notes += gaps
        rows = ", ".join(f"{world['rows']:,}" for world in worlds.values())
        self._report.gates["worlds"] = Gate(f"{rows or 'no'} rows, the same every time", [*faults, *errors])

    def cases(self) -> None:
        if not (self._folder / CASES).is_file():
            self._lacks("cases", CASES, "tools are untested")
            return
        answers, faults = self._of("cases")
        kinds = Counter(entry["kind"] for answer in answers for entry in answer)
        self._report.figures["cases"] = {kind: kinds[kind] for kind in ("success", "rejection", "unexpected")}
        for answer in answers:
            faults += [_unexpected(entry) for entry in answer if entry["kind"] == "unexpected"]
        try:
            tools = {name: frozenset(tool["rejects"]) for name, tool in self._described["tools"].items()}
            faults += faults_of_cases(read_cases(self._folder / CASES), tools)
        except UsageError as error:
            faults.append(str(error))
        self._report.gates["cases"] = Gate(
            f"{counted(kinds['success'], 'success')}, {counted(kinds['rejection'], 'rejection')}, "
            f"{kinds['unexpected']} unexpected",
            list(dict.fromkeys(faults)),
        )

    def mutants(self, *, wanted: bool) -> None:
        if not wanted or not (self._folder / CASES).is_file():
            self._report.gates["mutants"] = Gate("not run" if not wanted else f"need {CASES}", ran=False)
            return
        answers, faults = self._of("mutants")
        total, killed = (sum(answer[name] for answer in answers) for name in ("total", "killed"))
        self._report.figures["mutants"] = {"total": total, "killed": killed}
        if killed < LEAST_KILLED * total:
            faults.append(f"{killed} of {total} were killed; at least {LEAST_KILLED:.0%} must be")
        for answer in answers:
            for tool, own in answer["by_tool"].items():
                self._report.survivors += [
                    f"{tool}, line {each['line']}: {each['description']}" for each in own["survivors"]
                ]
        share = f", {killed / total:.0%}" if total else ""
        self._report.gates["mutants"] = Gate(f"{killed} of {total} killed{share}", faults)

    def graph(self) -> None:
        if not (self._folder / GRAPH).is_file():
            self._lacks("graph", GRAPH, "which tools depend on which is not known")
            return
        answers, faults = self._of("graph")
        figure = "not read"
        for answer in answers:
            faults += answer.pop("faults")
            self._report.figures["graph"] = answer
            if self._is_generated and not answer["edges"]:
                faults.append("no tool depends on another; every generated domain has dependencies")
            size = f"{counted(answer['nodes'], 'tool')}, {counted(answer['edges'], 'edge')}"
            figure = f"{size}, density {answer['density']:.3f}"
        self._report.gates["graph"] = Gate(figure, faults)

    def scenarios(self) -> None:
        if not (self._folder / SCENARIOS).is_file():
            return
        answers, faults = self._of("scenarios")
        entries = [entry for answer in answers for entry in answer]
        faults += [f"{entry['name']}: {fault}" for entry in entries for fault in entry["faults"]]
        called = {tool for entry in entries for tool in entry["tools"]}
        tools = self._described["tools"]
        uncalled = [name for name, tool in tools.items() if tool["writes"] and name not in called]
        if uncalled:
            self._report.notes.append(f"no scenario calls {', '.join(uncalled)}")
        self._report.gates["scenarios"] = Gate(
            f"{counted(len(entries), 'scenario')} calling {len(called)} of {counted(len(tools), 'tool')}", faults
        )

    def calls(self) -> None:
        answers, faults = self._of("calls")
        sums = {name: sum(answer[name] for answer in answers) for name in _CALL_FIGURES}
        self._report.figures["random_calls"] = sums
        lines = [failure["line"] for answer in answers for failure in answer["failures"]]
        faults += list(dict.fromkeys(lines))
        crashed = {tool for answer in answers for tool in answer["crashed_on_unknown_ids"]}
        differing = sum(answer["resets_that_differ"] for answer in answers)
        leaks = sum(answer["leaks"] for answer in answers)
        if answers:
            self._peers["tools_that_crash_on_unknown_ids"] = len(crashed)
            self._peers["foreign_key_violations"] = sum(answer["broken_states"] for answer in answers)
            self._peers["resets_that_differ"] += differing
            self._peers["sessions_that_leak"] = leaks
        faults += [f"{counted(differing, 'reset')} did not lead back to the world"] * bool(differing)
        faults += [f"{counted(leaks, 'session')} changed that nobody called"] * bool(leaks)
        self._report.gates["random calls"] = Gate(
            f"{counted(sums['calls'], 'call')}, {counted(sums['successes'], 'success')}, "
            f"{counted(sums['rejections'], 'rejection')}",
            faults,
        )
        never = sorted(set.intersection(*(set(answer["never_succeeded"]) for answer in answers))) if answers else []
        if never:
            self._report.notes.append(f"no random call succeeded on {', '.join(never)}")
        self._report.notes += self._unused_tables([answer["tables"] for answer in answers], set(never))

    def _unused_tables(self, observed: Sequence[Mapping[str, Any]], silent: set[str]) -> Iterator[str]:
        """Tables that a tool declares and was not seen to touch, in cases and random calls."""
        for name, declared in self._described["tools"].items():
            if name in silent:
                continue
            written = {table for tables in observed for table in tables[name]["writes"]}
            touched = written | {table for tables in observed for table in tables[name]["reads"]}
            idle = [f"read {table}" for table in declared["reads"] if table not in touched | set(declared["writes"])]
            idle += [f"write {table}" for table in declared["writes"] if table not in written]
            if idle:
                yield f"{name} declares to {' and '.join(idle)}, and was never seen to"

    def tasks(self) -> None:
        if not (self._folder / TASKS).is_file():
            self._report.gates["tasks"] = Gate("not there", ran=False)
            self._report.missing.append(TASKS)
            return
        answers, faults = self._of("tasks")
        figure = "not read"
        if answers:
            self._report.figures["tasks"] = figures = _sum_of_shares(answers)
            sums = {name: sum(answer[name] for answer in answers) for name in _TASK_COUNTS}
            self._peers["do_nothing_rewarded"] = sums["idle_rewarded"]
            self._peers["collateral_damage_rewarded"] = sums["collateral_rewarded"]
            self._peers["tasks_without_executed_solution"] = sums["unsolved"]
            faults += [fault for answer in answers for fault in answer["faults"]]
            passed, tried = (sum(proof[at] for proof in figures["proofs"].values()) for at in (0, 1))
            figure = f"{figures['kept']} of {sums['tasks']} proven, {passed:,} of {counted(tried, 'trial')} passed"
        self._report.gates["tasks"] = Gate(figure, faults)

    def _lacks(self, gate: str, file: str, means: str) -> None:
        """A file that a person may leave out, and a generator may not."""
        self._report.missing.append(file)
        if self._is_generated:
            self._report.gates[gate] = Gate("not there", [f"no {file}: {means}"])
        else:
            self._report.gates[gate] = Gate(f"no {file}: {means}", ran=False)


def _sum_of_shares(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What became of all tasks, from the shares that were proven apart."""
    rejected: Counter[str] = Counter()
    proofs: dict[str, list[int]] = {}
    for answer in answers:
        rejected.update(answer["rejected"])
        for name, (passed, tried) in answer["proofs"].items():
            sums = proofs.setdefault(name, [0, 0])
            sums[:] = sums[0] + passed, sums[1] + tried
    return {
        "kept": sum(answer["kept"] for answer in answers),
        "rejected": dict(rejected),
        "proofs": proofs,
        "tools_covered": len({tool for answer in answers for tool in answer["tools"]}),
    }


def _unexpected(entry: Mapping[str, Any]) -> str:
    differences = entry["differences"]
    more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
    return f"{entry['id'] or entry['tool']} ({entry['tool']}): {differences[0]}{more}"
