"""Documented: what the chain records about the caller and about refusals follows from what the agent can read.

The details that identify the caller are told by them; a refusal is recorded under a rule of the policy, about the
record that the policy names; only the caller's rows are changed; and a request in short says all that the user told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from generator.tasks.proofs.plan import PlayedStep
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.domain.desk import OWN_RECORDS, owners_of, subjects_of
from runtime.domain.people import DECLINE, IDENTIFICATION, IDENTIFY, People
from runtime.task.task import Wish
from runtime.verification.texts import says


def try_documented(replayer: TaskReplayer) -> Iterator[Trial]:
    """What is tried: each "identification", each "refusal", each row that a step changes, each wish in "short"."""
    people = replayer.domain.people
    own = next((each for each in replayer.domain.rules.rules if each.code == OWN_RECORDS), None)
    guarded = {*own.on, *own.exempt} if own is not None else {}  # of these, obedience says the same
    for number, step in enumerate(replayer.reference):
        if people is not None and step.tool == IDENTIFY:
            yield Trial("identification", _identified_by_lookup(replayer, number, step, people))
        elif people is not None and step.tool == DECLINE:
            yield Trial("refusal", _undocumented_refusal(replayer, number, step, people))
        elif people is not None and step.tool not in guarded:
            yield from _try_own(replayer, number, step, people)
    for number, wish in enumerate(replayer.task.user.wishes):
        if wish.short:
            unsaid = _unsaid_in_short(wish)
            yield Trial("short", f"Wish {number} in short, {wish.short!r}, does not say {unsaid!r}." if unsaid else "")


def _identified_by_lookup(replayer: TaskReplayer, number: int, step: PlayedStep, people: People) -> str:
    told = {fact.proves: fact.value for fact in replayer.task.user.facts if fact.proves}
    for column in people.proven_by:
        value = step.arguments.get(column)
        if value is not None and told.get(column) != value:
            return f"Step {number} identifies the caller by {column} {value!r}, which the user does not tell."
    return ""


def _undocumented_refusal(replayer: TaskReplayer, number: int, step: PlayedStep, people: People) -> str:
    domain = replayer.domain
    subject, code = step.arguments["subject_id"], step.arguments["rule_code"]
    rule = next((each for each in domain.rules.rules if each.code == code), None)
    if rule is None or (domain.policy and code not in domain.policy):
        return f"Step {number} refuses under {code}, which the policy does not have."
    columns = list(subjects_of(rule, people, domain.schema))
    tables = [each for each in domain.schema.tables.values() if each.primary_key in [(name,) for name in columns]]
    if tables and not any(replayer.row(each.name, (subject,)) for each in tables):
        return f"Step {number} refuses under {code} about {subject!r}, which is no {' or '.join(columns)}."
    return ""


def _try_own(replayer: TaskReplayer, number: int, step: PlayedStep, people: People) -> Iterator[Trial]:
    """One trial per row of somebody's that the step changes or removes, for a customer."""
    task, domain = replayer.task, replayer.domain
    if task.caller is None or task.caller.role != "customer":
        return
    for (table, key), change in step.changes.rows.items():
        if change.before is None or table == IDENTIFICATION or not people.ways_of(table):
            continue
        owners = owners_of(people, domain.schema, _rows_of(replayer), table, key[0]) if len(key) == 1 else []
        known = [owner for owner in owners if replayer.row(people.table, (owner,)) is not None]
        whose = known[0] if known and task.caller.key[0] not in known else None
        fault = f"Step {number} ({step.tool}) changes {table} {key[0]!r}, which is {whose!r}'s."
        yield Trial("own", "" if whose is None else fault)


def _rows_of(replayer: TaskReplayer) -> Callable[[str, Any], Any]:
    """A function that gives rows of the start as records."""

    def get(table: str, key: Any) -> Any:
        row = replayer.row(table, (key,))
        return None if row is None else replayer.domain.schema.tables[table].record(row)

    return get


def _unsaid_in_short(wish: Wish) -> str:
    """A fact that a wish tells and its short form leaves out; who the user is and beliefs need not stand in it."""
    beliefs = {belief.said for belief in wish.beliefs}
    for fact in wish.facts:
        if not (fact.proves or fact.said in beliefs or says(wish.short, fact.said)):
            return fact.said
    return ""
