"""Sufficiency: every argument is traced to what the user told, an earlier result, the stated clock or a default.

And the user speaks as a person does: no names of tools or columns, no ids that only the database knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from generator.tasks.house_form import faults_of_form
from generator.tasks.proofs.knowledge import ToldKnowledge
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.domain.domain import Domain
from runtime.task.dictation import is_dictated
from runtime.task.paths import JsonPath, dotted, leaves_of
from runtime.task.task import User
from runtime.verification.texts import normalize

_NAME = re.compile(r"\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b")
_ID = re.compile(r"[A-Za-z0-9]+(?:[-_./][A-Za-z0-9]+)*")


def try_sufficiency(replayer: TaskReplayer, knowledge: ToldKnowledge) -> Iterator[Trial]:
    """One trial per argument, per entry looked up, per answer, per text told and written, and per thing said."""
    for number, step in enumerate(replayer.task.chain):
        for leaf, value in leaves_of(step.arguments):
            if not leaf:
                continue
            why_not = knowledge.licence(number, leaf, value)
            where = f"Step {number} ({step.tool}): {dotted(leaf)} is {value!r}"
            why_not = why_not or _rendered_otherwise(replayer, step.tool, leaf, value)
            yield Trial("argument", f"{where}; {why_not}." if why_not else "")
    yield from (Trial("source", gap) for gap in knowledge.further_gaps())
    yield from _try_forms(replayer)
    yield from _try_words(replayer)
    yield from _try_dictation(replayer)


def _try_forms(replayer: TaskReplayer) -> Iterator[Trial]:
    task, schema = replayer.task, replayer.domain.schema
    changes, rows = replayer.final.changes, replayer.start.rows
    for where, fault in faults_of_form(changes, task.user.facts, schema, replayer.policies, rows):
        yield Trial("form", f"For {where}, {fault}; an agent may write either." if fault else "")


def _rendered_otherwise(replayer: TaskReplayer, tool: str, leaf: JsonPath, value: Any) -> str:
    """Why the words leave open which value of a closed set is meant; empty if a fact names it, or nobody tells it."""
    declared = replayer.domain.tools[tool].arguments.schema["properties"].get(leaf[0], {})
    if not isinstance(value, str) or value not in _closed_set(declared):
        return ""
    said = [fact.said for fact in replayer.task.user.facts if fact.value == value]
    if not said or any(f" {normalize(value)} " in f" {normalize(each)} " for each in said):
        return ""
    return (
        f"the user says {said[0]!r}, of which nobody knows that it is this one of a closed set; say the value's own "
        f"word in it, as in story.choose(name, {{{f'... {normalize(value)} ...'!r}: {value!r}}})"
    )


def _closed_set(schema: Any) -> Iterator[Any]:
    """The values that the schema of a parameter lists, wherever in it."""
    if isinstance(schema, Mapping):
        yield from schema.get("enum", ())
        yield from (value for name, part in schema.items() if name != "enum" for value in _closed_set(part))
    elif isinstance(schema, list):
        yield from (value for part in schema for value in _closed_set(part))


def _try_words(replayer: TaskReplayer) -> Iterator[Trial]:
    names = _names_of(replayer.domain)
    for text in _things_said(replayer.task.user):
        internal = [f"the name {found!r}" for found in _NAME.findall(text) if found.casefold() in names]
        internal += [f"the id {found!r}" for found in _ID.findall(text) if _is_internal_id(found, replayer)]
        fault = f"The user says {internal[0]}, which only the database knows: {text!r}." if internal else ""
        yield Trial("words", fault)


def _try_dictation(replayer: TaskReplayer) -> Iterator[Trial]:
    """Each dictated text is told by a wish, in every wording word for word, or so where it is asked for."""
    for text in replayer.task.texts_said("dictated"):
        wishes = [wish for wish in replayer.task.user.wishes if is_dictated(text, wish.words[0])]
        asked = any(is_dictated(text, fact.said) for fact in replayer.task.user.facts if fact.withheld)
        loose = [words for wish in wishes for words in wish.words if not is_dictated(text, words)]
        fault = f"{loose[0]!r} does not dictate {text!r} word for word." if loose else ""
        yield Trial("dictated", fault if wishes or asked else f"No wish dictates {text!r} word for word.")


def _things_said(user: User) -> Iterator[str]:
    yield from user.words
    yield from (fact.said for fact in user.facts)


def _names_of(domain: Domain) -> frozenset[str]:
    """The names of tools, tables, columns and parameters that no person would say: those of several words."""
    names = {*domain.tools, *domain.schema.tables}
    names |= {name for table in domain.schema.tables.values() for name in table.column_names}
    names |= {name for tool in domain.tools.values() for name in tool.arguments.names}
    return frozenset(name.casefold() for name in names if "_" in name)


def _is_internal_id(word: str, replayer: TaskReplayer) -> bool:
    """Whether a word with a digit in it is the generated key of a row."""
    if not any(letter.isdigit() for letter in word) or word.isdigit():
        return False
    policies = replayer.policies
    return any(
        policies.of(table.name, table.primary_key[0]).policy == "generated"
        and table.key_types == (str,)
        and replayer.row(table.name, (word,)) is not None
        for table in replayer.domain.schema.tables.values()
    )
