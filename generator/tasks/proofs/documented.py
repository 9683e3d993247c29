"""Sufficiency and documented: every argument, and every record, follows from what the agent can read or is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from generator.tasks.proofs.knowledge import ToldKnowledge
from generator.tasks.proofs.replayer import PlayedStep, TaskReplayer, Trial
from runtime.domain.arguments import closed_set
from runtime.domain.caller_rules import OWN_RECORDS, owners_of, subjects_of
from runtime.domain.people import DECLINE, IDENTIFICATION, IDENTIFY, People
from runtime.task.origin import JsonPath, dotted, leaves_of
from runtime.task.user import Wish
from runtime.task.wishes import is_dictated
from runtime.verification.texts import normalize, says


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
    task = replayer.task
    tellers = (
        [task.user.wishes[task.chain[number].wish]] if task.user.opens else task.user.wishes
    )  # of a day: a message
    told = {fact.proves: fact.value for wish in tellers for fact in wish.facts if fact.proves}
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
        return f"Step {number} refuses under {code} about {subject!r}, which is no {' or '.join(columns)} of the start."
    return ""


def _try_own(replayer: TaskReplayer, number: int, step: PlayedStep, people: People) -> Iterator[Trial]:
    """Yield one trial per row of somebody's that the step changes or removes, for a customer."""
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
    """Return a function that gives rows of the start as records."""

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


def try_sufficiency(replayer: TaskReplayer, knowledge: ToldKnowledge) -> Iterator[Trial]:
    """Yield one trial per argument, per entry looked up, per answer, per text told and written, and per thing said."""
    for number, step in enumerate(replayer.task.chain):
        for leaf, value in leaves_of(step.arguments):
            if not leaf:
                continue
            why_not = knowledge.licence(number, leaf, value)
            where = f"Step {number} ({step.tool}): {dotted(leaf)} is {value!r}"
            why_not = why_not or _rendered_otherwise(replayer, step.tool, leaf, value)
            yield Trial("argument", f"{where}; {why_not}." if why_not else "")
    yield from (Trial("source", gap) for gap in knowledge.further_gaps())
    yield from _try_ids(replayer)
    yield from _try_dictation(replayer)


def _rendered_otherwise(replayer: TaskReplayer, tool: str, leaf: JsonPath, value: Any) -> str:
    """Return why the words leave open which value of a closed set is meant; empty if a fact names it."""
    declared = replayer.domain.tools[tool].arguments.schema["properties"].get(leaf[0], {})
    if not isinstance(value, str) or value not in closed_set(declared):
        return ""
    said = [fact.said for fact in replayer.task.user.facts if fact.value == value]
    if not said or any(f" {normalize(value)} " in f" {normalize(each)} " for each in said):
        return ""
    return (
        f"the user says {said[0]!r}, of which nobody knows that it is this one of a closed set; say the value's own "
        f"word in it, as in story.choose(name, {{{f'... {normalize(value)} ...'!r}: {value!r}}})"
    )


def _try_ids(replayer: TaskReplayer) -> Iterator[Trial]:
    """Check each fact of the user: none is the generated id of a row."""
    tables = [
        table
        for table in replayer.domain.schema.tables.values()
        if len(table.primary_key) == 1
        and table.by_name[table.primary_key[0]].type == "TEXT"
        and replayer.policies.of(table.name, table.primary_key[0]).policy == "generated"
    ]
    for fact in replayer.task.user.facts:
        is_id = isinstance(fact.value, str) and any(replayer.row(table.name, (fact.value,)) for table in tables)
        fault = f"The user says the id {fact.value!r}, which only the database knows."
        yield Trial("words", fault if is_id and str(fact.value) in fact.said else "")


def _try_dictation(replayer: TaskReplayer) -> Iterator[Trial]:
    """Check that each dictated text is told word for word, in every wording or when asked."""
    for text in replayer.task.texts_said("dictated"):
        wishes = [wish for wish in replayer.task.user.wishes if is_dictated(text, wish.words[0])]
        asked = any(is_dictated(text, fact.said) for fact in replayer.task.user.facts if fact.withheld)
        loose = [words for wish in wishes for words in wish.words if not is_dictated(text, words)]
        fault = f"{loose[0]!r} does not dictate {text!r} word for word." if loose else ""
        yield Trial("dictated", fault if wishes or asked else f"No wish dictates {text!r} word for word.")
