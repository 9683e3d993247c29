"""Keep a twin in step with its source: a person's own parts are put on the new twin, executed, and kept or parked."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderReport, FolderRequest, describe_folder
from generator.gates.rules.case import FILE as RULE_CASES
from generator.gates.rules.prove import try_rules
from generator.graph.find import find_whole_graph, write_graph
from generator.isolation.process import run_each_job, run_job, run_jobs
from generator.scenarios.lint import ScenariosRequest, prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.make import ComposeRequest, compose_share, limits_of
from generator.tasks.plan import LEAST_ROWS, SIZES, read_task_id
from generator.tasks.proofs.recheck import recheck_tasks, shares_of_tasks
from generator.twin.drift import Drift
from generator.twin.parts import CARD, DERIVED, PARKED, Parts, files_of, merge, own_parts, read_parts, write_parts
from runtime.domain.load import RULES
from runtime.domain.policy_text import POLICY
from runtime.domain.schema import Schema, read_schema
from runtime.errors import BrokenDomain, StageFailed, WorldsmithError
from runtime.task.task_file import task_line

CASES, SCENARIOS, TASKS, GRAPH, SCHEMA = "cases.jsonl", "scenarios.py", "tasks.jsonl", "graph.json", "schema.sql"
_PLACE = re.compile(r"([\w./]+\.\w+):(?:(\d+):)? ")
_CODE = re.compile(r"@(?:rule|duty)\(\s*[\"'](\w+)")
_ROWS, _OWN = "rows of ", " (own)"  # lines of rows, and topics of own cases whose generated rows are others now
_AROUND = (_ROWS, "from ", "import ", "(")  # what only makes other parts work
_MARKS = {".py": "# ", ".sql": "-- "}


@dataclass
class Upkeep:
    """What became of the parts of a twin, as executed on the new one."""

    tools: dict[str, str] = field(default_factory=dict)
    """Generated tools that went, or whose cases have other outcomes now, with the first difference."""
    held: dict[str, int] = field(default_factory=dict)
    """How many generated tools hold, and how many own parts, by file."""
    parked: dict[tuple[str, str], str] = field(default_factory=dict)
    """Own parts that do not hold, by file and name, with the reason."""
    tasks: dict[str, int] = field(default_factory=dict)
    """How many tasks hold as they are, were made anew, are replaced, or are parked."""
    unbound: list[str] = field(default_factory=list)
    """Rules that hold, and do not guard a new tool that does what they guard."""


class Keeper:
    """Puts the parts of a twin's folder on a new twin, in a third folder that becomes the next one."""

    def __init__(self, old: Path, new: Path, work: Path, base: Mapping[str, Mapping[str, str]], drift: Drift) -> None:
        self.new, self.work, self.base, self.drift, self.found = new, work, base, drift, Upkeep()
        shutil.copytree(old, work, symlinks=True)
        mine, fresh = files_of(old), files_of(new)
        known = {*base, *fresh, RULES, RULE_CASES, SCENARIOS, TASKS} - {*DERIVED}
        known |= {name for name in {**mine, **fresh} if name.startswith(("tools/", "tasks/"))}
        names = [name for name in {SCHEMA: 0, **mine, **fresh} if name in known]
        self.names = [name for name in names if name in mine or name not in base]  # a person may have deleted a file
        self.before = {name: read_parts(old / name) for name in self.names}
        self.after = {name: read_parts(new / name) for name in self.names}
        self.own = {name: own_parts(base.get(name, {}), parts) for name, parts in self.before.items()}
        self._lines = {each: json.loads(line) for each, line in self.before.get(CASES, {}).items()}
        self._edited = {part for name in names if name.startswith("tools/") for part in self.own.get(name, ())}
        about = [each for each, case in self._lines.items() if case.get("tool") in self._edited]
        self.own[CASES] = list(dict.fromkeys([*self.own.get(CASES, []), *about]))
        self._fresh: dict[str, list[dict[str, Any]]] = {}
        for line in self.after.get(CASES, {}).values():
            self._fresh |= json.loads(line).get("rows", {})

    def keep(self, say: Callable[[str], None]) -> Upkeep:
        """Try all own parts, take out those that do not hold, and return what became of everything."""
        say("putting the domain's own parts on the new twin")
        self._load()
        while self._park_cases() or self._park_rules():
            self._load()
        say("replaying the cases of its tools")
        self._replay_tools()
        say("trying its scenarios")
        while self._park_scenarios():
            self._load()
        self._derive()
        for name in self.names:
            if self.before[name] and _is_tasks(name):
                say(f"proving the tasks of {name}")
                self._keep_tasks(name)
        for name, own in self.own.items():
            held = [part for part in self._left(name) if not part.startswith(_AROUND)]
            self.found.held |= {name: len(held)} if own else {}
        self._write_parked()
        return self.found

    def _left(self, name: str) -> list[str]:
        return [part for part in self.own.get(name, ()) if (name, part) not in self.found.parked]

    def _park(self, found: Iterable[tuple[str, str, str]]) -> bool:
        """Take out own parts, each with its reason, and the cases of a tool or a rule, too; False if none was left."""
        parked = len(self.found.parked)
        for name, part, why in found:
            if part in self._left(name):
                text, why = self.before[name][part], " ".join(why.split()).rstrip(".")
                causes = [] if _is_tasks(name) else self.drift.causes(text, why)
                self.found.parked[name, part] = "; ".join([why, *causes])
                key, file = ("rule", RULE_CASES) if name == RULES else ("tool", CASES)
                for each in self._left(file) if name == RULES or name.startswith("tools/") else ():
                    if json.loads(self.before[file][each]).get(key) in (part, *_CODE.findall(text)):
                        self.found.parked[file, each] = f"it is a case of {part}"
        return len(self.found.parked) > parked

    # Files

    def _load(self) -> FolderReport:
        """Write all files with the own parts that are left, less those with which the domain does not load."""
        while True:
            for name in self.names:
                write_parts(self.work / name, self._merged(name))
            try:
                return run_job(describe_folder, FolderRequest(self.work))
            except BrokenDomain as broken:
                if not self._park([each for fault in broken.faults for each in self._culprits(fault)]):
                    raise StageFailed(f"The new twin does not load with the domain's own parts: {broken}") from broken

    def _culprits(self, fault: str) -> Iterator[tuple[str, str, str]]:
        """Yield the own parts that a fault may be about, with it: at its line, else named in it, else of its file."""
        place = _PLACE.match(fault)
        name, line = (place[1], int(place[2] or 0)) if place else (CARD, 0)
        own = self._left(name)
        for part, text in read_parts(self.work / name).items():
            own = [part] if 0 < line <= text.count("\n") and part in own else own
            line -= text.count("\n")
        named = [part for part in own if len(own) > 1 and any(each in fault for each in part.split("\n"))]
        others = [(each, part, fault) for each in (SCHEMA, CARD, "world.py") for part in self._left(each)]
        yield from [(name, part, fault) for part in named or own] or others

    def _merged(self, name: str) -> Parts:
        """Return the parts of a file; own cases with the rows that they had, as tables and columns are called now."""
        before, own, after = self.before[name], self._left(name), self.after[name]
        if name == CASES:
            tools = {self._lines[each].get("tool") for each in own} & self._edited
            after = {each: line for each, line in after.items() if json.loads(line).get("tool") not in tools}
        without = [part for part in self.own[name] if part not in own]
        parts = merge(self.base.get(name, {}), before, after, without)
        for each in own if name in (CASES, RULE_CASES) else ():
            parts[each] = self._migrated(before[each])
            topic = json.loads(before[each]).get("topic", "")
            rows, mine = _ROWS + topic, topic + _OWN
            if each != rows and rows in before and rows not in own and parts.get(rows) != before[rows]:
                line = _of_topic(parts.pop(each), mine)
                parts |= {_ROWS + mine: _of_topic(self._migrated(before[rows]), mine), each: line}
        return parts

    def _migrated(self, text: str) -> str:
        """Return a line with its rows as the new tables take them."""
        line = json.loads(text)
        schema = read_schema((self.work / SCHEMA).read_text(encoding="utf-8")).schema
        named = {self.drift.tables.get(table, table): (table, rows) for table, rows in line.get("rows", {}).items()}
        rows = {
            name: [self._row(schema, table, row, None if "title" in line else at) for at, row in enumerate(rows)]
            for name, (table, rows) in named.items()
            if name in schema.tables
        }
        is_same = rows == line.get("rows", {})
        return text if is_same else json.dumps(line | {"rows": rows}, ensure_ascii=False) + "\n"

    def _row(self, schema: Schema, table: str, row: Mapping[str, Any], at: int | None) -> dict[str, Any]:
        """Return a row under the names of now; a value that must be there now is taken from a row of the new twin."""
        columns = {old: new for (own, old), new in self.drift.columns.items() if own == table}
        name = self.drift.tables.get(table, table)
        mine = {columns.get(column, column): value for column, value in row.items()}
        fresh = self._fresh.get(name, [])
        needed = {each.names for each in self.drift.differences if each.part == "required"}
        optional = {new for old, new in columns.items() if new not in mine and (table, old) not in needed}
        for column in schema.tables[name].columns if columns and fresh and at is not None else ():
            if not column.nullable and mine.get(column.name) is None and column.name not in optional:
                mine[column.name] = fresh[(at or 0) % len(fresh)].get(column.name)
        return {column: value for column, value in mine.items() if column in schema.tables[name].positions}

    # Trials

    def _park_cases(self) -> bool:
        """Take out own tools whose cases have another outcome, and own cases of other tools."""
        report = run_job(prove_cases, FolderRequest(self.work)) if self._left(CASES) else None
        found = []
        for each in report.unexpected if report else ():
            places = [
                (name, each.tool) for name in self.own if name.startswith("tools/") and each.tool in self._left(name)
            ]
            why = f"its case {each.id!r}: {each.differences[0]}"
            found += [(*place, why) for place in places or [(CASES, each.id)]]
        return self._park(found)

    def _park_rules(self) -> bool:
        """Take out rules and duties that crash, or whose cases have no rows or another answer."""
        if not (self.work / RULES).is_file():
            return False
        trial = run_job(try_rules, FolderRequest(self.work))
        self.found.unbound = trial.unbound
        faults = {code: own[0] for code, own in trial.faults.items()}
        for each, text in self.before.get(RULE_CASES, {}).items():
            whys = [why for why in trial.unplaced if why.startswith(f"{RULE_CASES}: {each}:")]
            whys += [f"its case {each!r}: {trial.unusable[each]}"] if each in trial.unusable else []
            if each in trial.wrong:
                whys.append(f"its case {each!r} is {'allowed' if trial.wrong[each] else 'denied'} now")
            if whys:
                faults.setdefault(json.loads(text)["rule"], whys[0])
        parts = {code: part for part, text in self.before[RULES].items() for code in _CODE.findall(text)}
        return self._park([(RULES, parts[code], why) for code, why in faults.items() if code in parts])

    def _park_scenarios(self) -> bool:
        """Take out own scenarios that can no longer be told, or whose answers can be guessed."""
        if not self._left(SCENARIOS):
            return False
        jobs: Any = [(prove_scenarios, ScenariosRequest(self.work)), (measure_guesses, FolderRequest(self.work))]
        told, guessed = run_each_job(jobs)
        for each in (told, guessed):
            if isinstance(each, BrokenDomain):
                return self._park([found for fault in each.faults for found in self._culprits(fault)])
            if isinstance(each, WorldsmithError):
                return self._park([(SCENARIOS, part, str(each)) for part in self._left(SCENARIOS)])
        whys = {each.name: each.faults[0] for each in told.scenarios if each.faults}
        whys |= {each.scenario: each.fault for each in guessed.scenarios if each.is_guessable}
        return self._park([(SCENARIOS, name, why) for name, why in whys.items()])

    def _replay_tools(self) -> None:
        """Replay the cases of the generated tools of before on the new ones."""
        tools = {case["tool"] for case in self._lines.values() if "tool" in case} - self._edited
        with TemporaryDirectory(prefix="worldsmith-") as place:
            folder = Path(place) / self.work.name
            shutil.copytree(self.work, folder, symlinks=True)
            lines = [self._migrated(self.before[CASES][each]) for each, case in self._lines.items()]
            (folder / CASES).write_text("".join(lines), encoding="utf-8")
            for each in run_job(prove_cases, FolderRequest(folder)).unexpected if tools else ():
                if each.tool in tools:
                    self.found.tools.setdefault(each.tool, f"its case {each.id!r}: {each.differences[0]}")
        there = run_job(describe_folder, FolderRequest(self.work)).tools
        self.found.tools |= dict.fromkeys(sorted(tools - {*there}), "it went")
        self.found.held["tools"] = len(tools - {*self.found.tools})

    def _derive(self) -> None:
        """Write what follows from the other files: the graph and the policy."""
        if self._has_own_code:
            (self.work / GRAPH).write_text(write_graph(find_whole_graph(self.work)), encoding="utf-8")
        elif (self.work / GRAPH).is_file():
            shutil.copyfile(self.new / GRAPH, self.work / GRAPH)
        if (self.work / RULES).is_file():
            (self.work / POLICY).write_text(run_job(describe_folder, FolderRequest(self.work)).policy, encoding="utf-8")
        elif self.own.get(RULES):
            (self.work / POLICY).unlink(missing_ok=True)

    @property
    def _has_own_code(self) -> bool:
        return any(self._left(name) for name in self.own if name.endswith(".py"))

    def _keep_tasks(self, name: str) -> None:
        """Keep the own tasks of a file that hold, or that hold once they are made anew from their ids."""
        before, own = self.before[name], {*self._left(name)}
        failing = self._failing_tasks(before)
        renewed = self._renewed_tasks([each for each in failing if each in own])
        for each in before:
            fate = "made anew" if each in renewed else "parked" if each in own else "replaced"
            fate = fate if each in failing else "hold"
            self.found.tasks[fate] = self.found.tasks.get(fate, 0) + 1
        self._park([(name, each, self._why_lost(each, why)) for each, why in failing.items() if each not in renewed])
        parts = self._merged(name) | renewed
        fresh = {each: line for each, line in parts.items() if each not in own}
        if not {*before} - own:  # a person has replaced all generated ones
            parts = {each: line for each, line in parts.items() if each in own}
        elif self._has_own_code:  # a rule may deny what a new one asks for
            failing = self._failing_tasks(fresh)
            parts = {each: line for each, line in parts.items() if each not in failing}
        write_parts(self.work / name, parts)

    def _why_lost(self, task: str, why: str) -> str:
        """Return why a task cannot be made anew: its scenario is parked, or what it comes to now does not hold."""
        made = read_task_id(task, [*self.before.get(SCENARIOS, {})])
        if made is None:
            return why
        if (SCENARIOS, made.lead) in self.found.parked:
            return f"its scenario {made.lead} is parked"
        return "made anew from its id, it does not pass its proofs"

    def _failing_tasks(self, lines: Parts) -> dict[str, str]:
        """Return why each task does not hold that does not, by its id."""
        with TemporaryDirectory(prefix="worldsmith-") as place:
            file = Path(place) / TASKS
            file.write_text("".join(lines.values()), encoding="utf-8")
            limits = limits_of(len(lines), LEAST_ROWS)
            shares = run_jobs(recheck_tasks, shares_of_tasks(self.work, file), limits) if lines else []
        faults = [fault for share in shares for fault in share.faults]
        found = [(each, fault.partition(f"task {each!r}")[2]) for each in lines for fault in faults]
        return {each: why.lstrip(": ") for each, why in found if why}

    def _renewed_tasks(self, ids: list[str]) -> Parts:
        """Return the lines of tasks that are made anew from their ids on the worlds of now, if these are proven."""
        names = [*read_parts(self.work / SCENARIOS)]
        places = [[made] for each in ids if (made := read_task_id(each, names)) is not None]
        if not places:
            return {}
        asked = ComposeRequest(self.work, places, unverified=False)
        tried = run_job(compose_share, asked, limits_of(len(places), max(SIZES.values()))).candidates
        found = {each.task.id: task_line(each.task) + "\n" for each in tried if each.task is not None and each.holds}
        return {each: line for each, line in found.items() if each in ids}

    def _write_parked(self) -> None:
        """Write the parts that do not hold into a folder of their own, each with its reason."""
        texts = {f"{PARKED}/README.md": "Parts that no longer hold. Mend each, and put it back into its file.\n\n"}
        in_order = [(name, part) for name, parts in self.before.items() for part in parts]  # imports first
        for name, part in filter(self.found.parked.__contains__, in_order):
            why = self.found.parked[name, part]
            text, mark = self.before[name][part].strip(), _MARKS.get(Path(name).suffix)
            text = f"{json.dumps(part)}: {text}" if name == CARD else text
            own = f"{mark}Parked: {why}\n{text}\n\n\n" if mark else f"{text}\n"
            texts[f"{PARKED}/{name}"] = texts.get(f"{PARKED}/{name}", "") + own
            texts[f"{PARKED}/README.md"] += f"- `{name}`, {part.replace(chr(10), '.')}: {why}\n"
        for name, text in texts.items() if self.found.parked else ():
            path = self.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            before = path.read_text(encoding="utf-8") + "\n" if path.is_file() else ""
            path.write_text(before + text, encoding="utf-8")


def _is_tasks(name: str) -> bool:
    return name == TASKS or name.startswith("tasks/")


def _of_topic(line: str, topic: str) -> str:
    return json.dumps(json.loads(line) | {"topic": topic}, ensure_ascii=False) + "\n"
