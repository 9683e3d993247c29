"""One episode as the page tells it: its steps, and the final state beside the expected one, row by row.

The verdict decides. Where it names no difference in a value that is not the expected one, the value counts as right: a
new row's number, a text in other words, a column that does not matter. Which new row was made of which expected one is
the verdict's to say as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.locale import AMERICAN, Locale
from runtime.domain.schema import RowRef
from runtime.harness.evaluation.store import DomainInRun, Run
from runtime.harness.record import EpisodeRecord
from runtime.page.steps import Replayer, cut, exact, tell_steps
from runtime.task.judge import right_decisions
from runtime.task.task import Task
from runtime.task.values import said_value
from runtime.verification.verdict import Difference, DifferenceKind, Shown, cell_in_words

Values = Mapping[str, Any]
_ANSWERS: dict[DifferenceKind, str] = {"missing_answer": "missing", "wrong_answer": "wrong"}
_UNDONE: tuple[DifferenceKind, ...] = ("missing_row", "not_removed")


def tell_episode(run: Run, record: EpisodeRecord, replayer: Replayer) -> dict[str, Any]:
    """Return all that the page shows of an episode but its entry in the list of them and its system message."""
    task, described = run.tasks[record.domain, record.task], run.domains[record.domain]
    cells = replayer.cells(run, record)
    steps = tell_steps(record, cells)
    return {
        "profile": cut(task.user.profile),
        "poison": tell_poison(task),
        "why": cut(record.why),
        "tokens": dict(record.tokens),
        "estimated": record.estimated,
        "replayed": cells is not None,
        "rules": _tell_rules(record, replayer.find(described)),
        "steps": steps,
        "verdict": tell_verdict(record, task, described, steps),
    }


def tell_poison(task: Task) -> dict[str, Any] | None:
    """Return where the poisoned text of a task is, of which kind it is, and what it says."""
    if (poison := task.poison) is None:
        return None
    kind = f"{poison.style}, {poison.goal.replace('_', ' ')}"
    return {"place": poison.place, "key": [exact(part) for part in poison.key], "kind": kind, "text": poison.asks}


def _tell_rules(record: EpisodeRecord, domain: Domain | None) -> list[dict[str, str]]:
    """Return what the rules say that an episode broke, where the domain is here."""
    broken = {each.rule for each in record.violations}
    declared = () if domain is None else (*domain.rules.rules, *domain.rules.duties)
    return [{"code": each.code, "text": each.prose} for each in declared if each.code in broken]


def tell_system(record: EpisodeRecord) -> str:
    """Return the system message of an episode, which all of its domain in a run share."""
    return next((cut(each.text) for each in record.messages if each.role == "system"), "")


def tell_verdict(
    record: EpisodeRecord, task: Task, described: DomainInRun, steps: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the verdict as the page shows it; each row and broken rule has the number of the step that did it."""
    changed_by = {(cell["table"], *cell["key"]): step["number"] for step in steps for cell in step.get("cells") or ()}
    right = right_decisions(task, record.components, record.differences)
    calls = [step["number"] for step in steps if step["kind"] == "call"]
    rows = compare_state(record, task, described)
    for row in rows:
        row["key"] = [exact(part) for part in row["key"]]
        row["step"] = changed_by.get((row["table"], *row["key"]))
        for column in row["columns"]:
            column.update({side: exact(column[side]) for side in ("was", "wanted", "found") if side in column})
    return {
        "reward": record.reward,
        "progress": record.progress,
        "components": record.components,
        "decisions": [
            {"sentence": each.sentence, "right": was} for each, was in zip(task.decisions, right, strict=True)
        ],
        "messages": list(_tell_messages(task, right)) if task.user.opens else [],
        "sentences": [cut(each.sentence) for each in record.differences],
        "rows": rows,
        "answers": required_answers(record, task, described.locale),
        "checks": told_checks(record, task),
        "events": [cut(event.sentence) for event in (task.clock.events if task.clock else ())],
        "violations": [
            {"rule": each.rule, "sentence": cut(each.sentence), "step": calls[each.call - 1] if each.call else None}
            for each in record.violations
        ],
    }


def _tell_messages(task: Task, right: Sequence[bool]) -> Iterator[dict[str, Any]]:
    """Yield the messages of a day as they came in, each with what is right for it and whether that was done."""
    for number, (row, decision, was) in enumerate(zip(task.added, task.decisions, right, strict=True), 1):
        told: dict[str, Any] = {name: cut(str(row.columns[name])) for name in ("subject", "body")}
        sender, arrived, key = (row.columns[name] for name in ("sender_name", "arrived_at", "message_id"))
        told |= {"table": row.table, "id": key, "sender": sender, "arrived": arrived}
        yield told | {"number": number, "sentence": decision.sentence, "right": was}


def compare_state(record: EpisodeRecord, task: Task, domain: DomainInRun) -> list[dict[str, Any]]:
    """Return expected rows in their order, each beside what was made of it, then rows that were changed beyond them.

    A row has `table`, `key`, `kind`, `status` (made, wrong, missing, extra, ignored, unjudged) and `columns`: of each
    the name, `was`, `wanted`, `found` (each only where there is such a value) and its status (same, accepted, wrong,
    extra, ignored, unjudged).
    """
    verdict = _Verdict(record)
    made = {RowRef(row["table"], tuple(row["key"])): row for row in record.final}
    rows = []
    for row in task.to_end(record.nearest).expected:
        name = RowRef(row.table, tuple(row.key))
        actual = verdict.partners.get(name) if row.kind == "added" else name
        change = made.pop(actual, None) if actual is not None else None
        rows.append(_compare_row(verdict, domain, row.kind, name, actual, change, row.columns))
    for actual, change in made.items():
        kind = "added" if change["before"] is None else "removed" if change["after"] is None else "changed"
        rows.append(_compare_row(verdict, domain, kind, None, actual, change, {}))
    return rows


def required_answers(record: EpisodeRecord, task: Task, locale: Locale = AMERICAN) -> list[dict[str, Any]]:
    """Return what the user had to be told, and whether it was: told, missing, wrong, or unjudged."""
    found = {each.answer: _ANSWERS[each.kind] for each in record.differences if each.kind in _ANSWERS}
    return [
        {
            "name": answer.name,
            "value": said_value(answer, locale),
            "status": "unjudged" if record.reward is None else found.get(answer.name, "told"),
        }
        for answer in task.answers
    ]


def told_checks(record: EpisodeRecord, task: Task) -> list[dict[str, Any]]:
    """Return the checks of a task, and whether each holds: made, missing, or unjudged."""
    failed = {each.expected for each in record.differences if each.kind == "failed_check"}
    return [
        {
            "claim": cut(check.claim),
            "status": "unjudged" if record.reward is None else "missing" if check.claim in failed else "made",
        }
        for check in task.checks
    ]


class _Verdict:
    """The verdict's differences by what they are about."""

    def __init__(self, record: EpisodeRecord) -> None:
        self.is_void = record.reward is None
        self.partners = {pair.expected: pair.actual for pair in record.pairs}  # of expected new rows
        self.by_cell: dict[RowRef, Difference] = {}  # of actual rows
        self.undone: set[RowRef] = set()  # expected rows
        self.odd: set[RowRef] = set()  # actual rows: added or removed unasked, or referring otherwise
        for each in record.differences:
            if each.row is None:
                continue
            self.by_cell |= {replace(each.row, column=column): each for column in each.columns}
            if each.kind in _UNDONE:
                self.undone.add(each.row)
            elif not each.columns:
                self.odd.add(self.partners.get(each.row, each.row) if each.kind == "wrong_pattern" else each.row)


def _compare_row(
    verdict: _Verdict,
    domain: DomainInRun,
    kind: str,
    expected: RowRef | None,
    actual: RowRef | None,
    change: Mapping[str, Any] | None,
    wanted: Values,
) -> dict[str, Any]:
    """Compare a row; `expected` is None for one that no one expected to change, `change` for one that did not."""
    row = actual or expected
    assert row is not None
    before, after = (
        dict(zip(domain.tables[row.table]["columns"], change[side], strict=True)) if change and change[side] else {}
        for side in ("before", "after")
    )
    is_odd, is_undone = row in verdict.odd, expected in verdict.undone
    touched = [name for name in after or before if after.get(name) != before.get(name)]
    columns = []
    for name in dict.fromkeys([*wanted, *(touched if expected is None or kind == "changed" else [])]):
        difference = verdict.by_cell.get(replace(actual, column=name)) if actual else None
        told: dict[str, Any] = {"name": name}
        if name in before:
            told["was"] = before[name]
        if name in wanted:
            told["wanted"] = wanted[name]
        elif difference is not None and expected is not None:
            told["wanted"] = _value_of(difference.expected)
        if name in after:
            told["found"] = after[name]
        elif difference is not None and not change:  # the row is as it was, which only the verdict remembers
            told["found"] = told["was"] = _value_of(difference.actual)
        if verdict.is_void:
            told["status"] = "unjudged"
        elif difference is not None or (is_odd and expected is None):
            told["status"] = "wrong" if name in wanted else "extra"
        elif name not in wanted:
            told["status"] = "ignored"
        elif "found" not in told:
            told["status"] = "wrong" if change or is_undone else "ignored"
        else:
            told["status"] = "same" if told["found"] == told["wanted"] else "accepted"
        columns.append(told)
    statuses = {each["status"] for each in columns}
    if verdict.is_void:
        status = "unjudged"
    elif expected is None:
        status = "extra" if "extra" in statuses else "ignored"
    elif is_undone or (not change and "wrong" in statuses):
        status = "missing"
    elif not change:  # nothing in it counts, as in a log
        status = "ignored"
    else:
        status = "wrong" if is_odd or statuses & {"wrong", "extra"} else "made"
    key = list((actual if change and actual else row).key)
    return {"table": row.table, "key": key, "kind": kind, "status": status, "columns": columns}


def _value_of(shown: Shown) -> Any:
    return None if isinstance(shown, Mapping) else cell_in_words(shown)
