"""Keep a twin in step with its source: a person's own parts are put on the new twin, executed, and kept or parked."""

from __future__ import annotations

import ctypes
import json
import os
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
from generator.gates.worlds import prove_worlds
from generator.graph.find import find_whole_graph, write_graph
from generator.isolation.job import Job
from generator.isolation.process import run_each_job, run_job, run_jobs
from generator.scenarios.lint import ScenariosRequest, prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.make import ComposeRequest, compose_share, limits_of
from generator.tasks.plan import LEAST_ROWS, read_task_id
from generator.tasks.proofs.recheck import recheck_tasks, shares_of_tasks
from generator.twin.drift import Drift
from generator.twin.parts import CARD, DERIVED, PARKED, Parts, files_of, merge, own_parts, read_parts, write_parts
from runtime.domain.load import RULES
from runtime.domain.policy_text import POLICY
from runtime.domain.schema import read_schema
from runtime.errors import BrokenDomain, StageFailed, WorldsmithError
from runtime.task.task_file import task_line

CASES, SCENARIOS, TASKS, GRAPH, SCHEMA = "cases.jsonl", "scenarios.py", "tasks.jsonl", "graph.json", "schema.sql"
_PLACE = re.compile(r"([\w./]+\.\w+):(?:(\d+):)? ")
_ROWS, _OWN_ROWS = "rows of ", " (own)"  # the lines of a topic's rows, and topics whose generated rows are others now
_MOST_ROUNDS = 100
_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2
_AT_CWD = -100


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
    warnings: list[str] = field(default_factory=list)

    @property
    def is_broken(self) -> bool:
        """Whether anything that a person or an agent relied on no longer holds."""
        return bool(self.tools or self.parked or self.warnings)


class Keeper:
    """Puts the parts of a twin's folder on a new twin, in a third folder that becomes the next one."""

    def __init__(self, old: Path, new: Path, work: Path, base: Mapping[str, Mapping[str, str]], drift: Drift) -> None:
        self.old, self.new, self.work, self.base, self.drift = old, new, work, base, drift
        self.found = Upkeep()
        shutil.copytree(old, work, symlinks=True)
        mine = files_of(old)
        names = dict.fromkeys([SCHEMA, *mine, *files_of(new)])
        self.names = [each for each in names if each not in DERIVED and (each in mine or each not in base)]
        self.before = {name: read_parts(old / name) for name in self.names}
        self.after = {name: read_parts(new / name) for name in self.names}
        self.own = {name: own_parts(base.get(name, {}), parts) for name, parts in self.before.items()}
        self._cases = {each: json.loads(text) for each, text in self.before.get(CASES, {}).items()}
        self._edited = edited = {
            tool for name, parts in self.own.items() if name.startswith("tools/") for tool in parts
        }
        about = [each for each, case in self._cases.items() if case.get("tool") in edited]
        self.own[CASES] = list(dict.fromkeys([*self.own.get(CASES, []), *about]))
        fresh = self.after.get(CASES, {})
        self.after[CASES] = {each: line for each, line in fresh.items() if json.loads(line).get("tool") not in edited}
        self._rows: dict[str, list[dict[str, Any]]] = {}
        for line in fresh.values():
            for table, rows in json.loads(line).get("rows", {}).items():
                self._rows[table] = max(self._rows.get(table, []), rows, key=len)
        self._was = read_schema("".join(self.before[SCHEMA].values())).schema

    def keep(self, say: Callable[[str], None]) -> Upkeep:
        """Try all own parts, take out those that do not hold, and return what became of everything."""
        say("putting the domain's own parts on the new twin")
        self._load()
        while self._park_cases() or self._park_rules() or self._park_worlds():
            self._load()
        say("replaying the cases of its tools")
        self._replay_tools()
        say("trying its scenarios")
        while self.own.get(SCENARIOS) and self._park_scenarios():
            self._load()
        self._derive()
        if self.before.get(TASKS):
            say("proving its tasks")
            self._keep_tasks()
        self.found.held |= {name: len(self._left(name)) for name, own in self.own.items() if own}
        self._write_parked()
        return self.found

    def _left(self, name: str) -> list[str]:
        return [part for part in self.own.get(name, ()) if (name, part) not in self.found.parked]

    def _park(self, name: str, part: str, why: str) -> bool:
        """Take an own part out, and the cases of a tool or a rule with it; False if it is no own part that is left."""
        if part not in self._left(name):
            return False
        text, why = self.before[name][part], " ".join(why.split()).rstrip(".")
        causes = [each for each in self.drift.causes(f"{text} {why}") if each not in why]
        self.found.parked[name, part] = "; ".join([why, *causes])
        key, file = ("rule", RULE_CASES) if name == RULES else ("tool", CASES)
        for each in self._left(file) if name == RULES or name.startswith("tools/") else ():
            if json.loads(self.before[file][each]).get(key) in (part, _code_of(text)):
                self.found.parked[file, each] = f"it is a case of {part}"
        return True

    def _park_each(self, found: Iterable[tuple[str, str, str]]) -> bool:
        """Take out parts, each with the reason; False if none of them was left."""
        return sum(self._park(*each) for each in found) > 0

    # Files

    def _load(self) -> FolderReport:
        """Write all files with the own parts that are left, less those with which the domain does not load."""
        for _ in range(_MOST_ROUNDS):
            self._lay()
            try:
                return run_job(describe_folder, FolderRequest(self.work))
            except BrokenDomain as broken:
                if not self._park_each([found for fault in broken.faults for found in self._culprits(fault)]):
                    raise StageFailed(f"The new twin does not load with the domain's own parts: {broken}") from broken
        raise StageFailed(f"{_MOST_ROUNDS} times a part was taken out, and the new twin still does not load.")

    def _culprits(self, fault: str) -> Iterator[tuple[str, str, str]]:
        """Yield the own parts that a fault may be about, with it: at its line, else named in it, else of its file."""
        place = _PLACE.match(fault)
        name = place[1] if place else CARD
        own, line = self._left(name), int(place[2] or 0) if place else 0
        for part, text in read_parts(self.work / name).items():
            if 0 < line <= (many := text.count("\n")) and part in own:
                own = [part]
            line -= many
        named = [part for part in own if len(own) > 1 and any(each in fault for each in part.split("\n"))]
        others = [(each, part) for each in (SCHEMA, CARD, "world.py") for part in self._left(each)]
        yield from [(*each, fault) for each in [(name, part) for part in named or own] or others]

    def _lay(self) -> None:
        for name in self.names:
            without = [part for file, part in self.found.parked if file == name]
            parts = merge(self.base.get(name, {}), self.before[name], self.after[name], without)
            if name in (CASES, RULE_CASES):
                parts = self._with_rows(name, parts)
            write_parts(self.work / name, parts)

    def _with_rows(self, name: str, parts: Parts) -> Parts:
        """Give own cases the rows that they had, with tables and columns as they are called now."""
        for each in self._left(name):
            before = json.loads(self.before[name][each])
            rows, line = _ROWS + before.get("topic", ""), self._migrated(self.before[name][each])
            if (
                "rule" not in before
                and "tool" not in before
                or rows in self._left(name)
                or parts.get(rows) == self.before[name][rows]
            ):
                parts[each] = line
            else:  # its topic was generated, and has other rows now
                topic = before["topic"] + _OWN_ROWS
                parts.pop(each, None)
                parts.setdefault(_ROWS + topic, _of_topic(self._migrated(self.before[name][rows]), topic))
                parts[each] = _of_topic(line, topic)
        return parts

    def _migrated(self, text: str) -> str:
        """Return a line with its rows as the new tables take them; what is new in a row is that of a new twin's row."""
        line, schema = json.loads(text), read_schema((self.work / SCHEMA).read_text(encoding="utf-8")).schema
        migrated: dict[str, list[dict[str, Any]]] = {}
        for table, rows in line.get("rows", {}).items():
            name = self.drift.tables.get(table, table)
            if name not in schema.tables:
                continue
            known = self._was.tables[table].column_names if table in self._was.tables else ()
            fresh = self._rows.get(name) or [{}]
            migrated[name] = []
            for at, row in enumerate(rows):
                mine = {self.drift.columns.get((table, column), column): value for column, value in row.items()}
                own: dict[str, Any] = {}
                for column in schema.tables[name].columns if "tool" not in line and "rule" not in line else ():
                    is_new = column.name not in known and column.name not in self.drift.columns.values()
                    given = fresh[at % len(fresh)].get(column.name)
                    if not column.nullable and (mine[column.name] is None if column.name in mine else is_new):
                        own[column.name] = given
                names = schema.tables[name].positions
                migrated[name].append({key: value for key, value in mine.items() if key in names} | own)
        if migrated == line.get("rows", {}):
            return text
        return json.dumps(line | {"rows": migrated}, ensure_ascii=False) + "\n"

    # Trials

    def _park_cases(self) -> bool:
        """Take out own tools whose cases have another outcome, and own cases of other tools."""
        if not self._left(CASES):
            return False
        changed = []
        for each in run_job(prove_cases, FolderRequest(self.work)).unexpected:
            why = f"its case {each.id!r}: {each.differences[0]}"
            files = [name for name in self.own if name.startswith("tools/") and each.tool in self._left(name)]
            changed += [self._park(name, each.tool, why) for name in files] or [self._park(CASES, each.id, why)]
        return any(changed)

    def _park_rules(self) -> bool:
        """Take out rules and duties that crash, or whose cases have no rows or another answer."""
        if not (self.work / RULES).is_file():
            return False
        trial = run_job(try_rules, FolderRequest(self.work))
        self.found.warnings = trial.unbound
        cases = {each: json.loads(line)["rule"] for each, line in self.before[RULE_CASES].items() if '"rule"' in line}
        faults = {code: own[0] for code, own in trial.faults.items()}
        for each, code in cases.items():
            whys = [why for why in trial.unplaced if why.startswith(f"{RULE_CASES}: {each}:")]
            if each in trial.wrong:
                whys.append(f"its case {each!r} is {'allowed' if trial.wrong[each] else 'forbidden'} now")
            if each in trial.unusable:
                whys.append(f"its case {each!r}: {trial.unusable[each]}")
            faults |= {code: whys[0]} if whys and code not in faults else {}
        parts = {_code_of(text): part for part, text in self.before[RULES].items()}
        return self._park_each((RULES, parts[code], why) for code, why in faults.items() if code in parts)

    def _park_worlds(self) -> bool:
        """Take out an own world program, or own tables, with which no world can be built."""
        for name in ("world.py", SCHEMA):
            if self._left(name):
                (told,) = run_each_job([(prove_worlds, FolderRequest(self.work))])
                faults = [str(told)] if isinstance(told, WorldsmithError) else told.faults
                if faults and self._park_each([(name, part, faults[0]) for part in self._left(name)]):
                    return True
        return False

    def _park_scenarios(self) -> bool:
        """Take out own scenarios that can no longer be told, or whose answers can be guessed."""
        if not self._left(SCENARIOS):
            return False
        jobs: list[tuple[Job[Any, Any], Any]] = [(prove_scenarios, ScenariosRequest(self.work))]
        told, guessed = run_each_job([*jobs, (measure_guesses, FolderRequest(self.work))])
        for each in (told, guessed):
            if isinstance(each, BrokenDomain):
                return self._park_each([found for fault in each.faults for found in self._culprits(fault)])
            if isinstance(each, WorldsmithError):
                return self._park_each([(SCENARIOS, part, str(each)) for part in self._left(SCENARIOS)])
        whys = {each.name: each.faults[0] for each in told.scenarios if each.faults}
        whys |= {each.scenario: each.fault for each in guessed.scenarios if each.is_guessable}
        return self._park_each((SCENARIOS, name, why) for name, why in whys.items())

    def _replay_tools(self) -> None:
        """Replay the cases of the generated tools of before on the new ones."""
        described = run_job(describe_folder, FolderRequest(self.work))
        own = {*self.own[CASES]}
        generated = {case["tool"] for case in self._cases.values() if "tool" in case} - self._edited
        with TemporaryDirectory(prefix="worldsmith-") as place:
            folder = Path(place) / self.work.name
            shutil.copytree(self.work, folder, symlinks=True)
            lines = [self._migrated(text) for each, text in self.before[CASES].items() if each not in own]
            (folder / CASES).write_text("".join(lines), encoding="utf-8")
            for each in run_job(prove_cases, FolderRequest(folder)).unexpected if generated else ():
                self.found.tools.setdefault(each.tool, f"its case {each.id!r}: {each.differences[0]}")
        self.found.tools |= dict.fromkeys(sorted(generated - {*described.tools}), "it went")
        self.found.held["tools"] = len(generated - {*self.found.tools})

    def _derive(self) -> None:
        """Write what follows from the other files: the graph and the policy."""
        self._lay()
        if not (self.old / GRAPH).is_file():
            return
        if self._is_own_code:
            (self.work / GRAPH).write_text(write_graph(find_whole_graph(self.work)), encoding="utf-8")
        else:
            shutil.copyfile(self.new / GRAPH, self.work / GRAPH)
        if (self.work / RULES).is_file():
            (self.work / POLICY).write_text(run_job(describe_folder, FolderRequest(self.work)).policy, encoding="utf-8")
        elif self.own.get(RULES):
            (self.work / POLICY).unlink(missing_ok=True)

    @property
    def _is_own_code(self) -> bool:
        return any(self._left(name) for name in self.own if name.startswith("tools/") or name in (SCENARIOS, RULES))

    def _keep_tasks(self) -> None:
        """Keep the own tasks that hold, or that hold once they are made anew from their ids."""
        before, counts = self.before[TASKS], {"hold": 0, "made anew": 0, "replaced": 0, "parked": 0}
        failing, own = self._failing_tasks(before), {*self._left(TASKS)}
        renewed = self._renewed_tasks([each for each in failing if each in own])
        for each in before:
            is_lost = each in failing and each not in renewed
            fate = (
                "hold"
                if each not in failing
                else "replaced"
                if each not in own
                else "parked"
                if is_lost
                else "made anew"
            )
            counts[fate] += 1
            if fate == "parked":
                self._park(TASKS, each, failing[each])
        without = [part for file, part in self.found.parked if file == TASKS]
        parts = merge(self.base.get(TASKS, {}), before, self.after[TASKS], without) | renewed
        fresh = {each: line for each, line in parts.items() if each not in own}
        if self._is_own_code or not {*before} - own:  # its rules may deny a new one; or no generated one is wanted
            dropped = self._failing_tasks(fresh) if {*before} - own else fresh
            parts = {each: line for each, line in parts.items() if each not in dropped}
        write_parts(self.work / TASKS, parts)
        self.found.tasks = {fate: many for fate, many in counts.items() if many}

    def _failing_tasks(self, lines: Parts) -> dict[str, str]:
        """Return why each task does not hold that does not, by its id."""
        if not lines:
            return {}
        with TemporaryDirectory(prefix="worldsmith-") as place:
            file = Path(place) / TASKS
            file.write_text("".join(lines.values()), encoding="utf-8")
            shares = run_jobs(recheck_tasks, shares_of_tasks(self.work, file), limits_of(len(lines), LEAST_ROWS))
        found = {}
        for fault in [each for share in shares for each in share.faults]:
            for each in lines:
                if f"task {each!r}" in fault:
                    found[each] = fault.partition(f"task {each!r}")[2].lstrip(": ")
        return found

    def _renewed_tasks(self, ids: list[str]) -> Parts:
        """Make own tasks anew from their ids on the worlds of now; those of which a proven one comes."""
        names = [*read_parts(self.work / SCENARIOS)]
        made = {each: read_task_id(each, names) for each in ids}
        places = [[each] for each in made.values() if each is not None]
        if not places or not (self.work / SCENARIOS).is_file():
            return {}
        request = ComposeRequest(self.work, places, False)
        tried = run_job(compose_share, request, limits_of(len(places), 3_000)).candidates
        return {each.task.id: task_line(each.task) + "\n" for each in tried if each.task is not None and each.holds}

    def _write_parked(self) -> None:
        """Write the parts that do not hold into a folder of their own, each with its reason."""
        reasons: list[str] = []
        for (name, part), why in self.found.parked.items():
            path = self.work / PARKED / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text, mark = self.before[name][part], {".py": "# ", ".sql": "-- "}.get(path.suffix, "")
            kept = path.read_text(encoding="utf-8") if path.is_file() else ""
            if name == CARD:
                text = json.dumps(part) + ": " + text
            if text.strip() not in kept:
                note = f"{mark}Parked: {why}\n" if mark else ""
                path.write_text(f"{kept}{note}{text.strip()}\n", encoding="utf-8")
                reasons.append(f"- `{name}`, {part.replace(chr(10), '.')}: {why}")
        if reasons:
            readme = self.work / PARKED / "README.md"
            start = "Parts that no longer hold. Mend each, and put it back into the file of its name.\n\n"
            kept = readme.read_text(encoding="utf-8") if readme.is_file() else start
            readme.write_text(kept + "\n".join(reasons) + "\n", encoding="utf-8")


def _code_of(text: str) -> str:
    """Return the code of a rule or duty by its decorator; empty for other text."""
    found = re.search(r"@(?:rule|duty)\(\s*[\"'](\w+)", text)
    return found[1] if found else ""


def _of_topic(line: str, topic: str) -> str:
    return json.dumps(json.loads(line) | {"topic": topic}, ensure_ascii=False) + "\n"


def exchange(new: Path, old: Path) -> None:
    """Put a folder in the place of another, which takes its place, in one step where the system can."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if rename is not None and rename(_AT_CWD, os.fsencode(new), _AT_CWD, os.fsencode(old), _EXCHANGE) == 0:
        return
    aside = new.with_name(f"{new.name}.old")
    old.rename(aside)
    try:
        new.rename(old)
    except BaseException:
        aside.rename(old)
        raise
    aside.rename(new)
