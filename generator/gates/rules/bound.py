"""Which tools could do what a rule forbids by another way: they write what a bound tool writes, by what cases show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.gates.cases.case import CaseBook
from generator.gates.mutants.values import choices_in
from runtime.domain.desk import is_desk_rule
from runtime.domain.domain import Domain

Written = tuple[
    str, str, str
]  # a table, a column or the mark of a whole row, and the state that is written, if it is one
_ADDED, _REMOVED = "(added)", "(removed)"


def unbound(domain: Domain, book: CaseBook) -> Iterator[str]:
    """A sentence for each tool that writes what a bound tool writes, and is neither bound nor left out with a reason.

    A tool that changes a column shares it with one that changes it, or adds a row that says it; one that adds or
    removes rows with one that does so, too. Of a bound tool only what it is there for counts: what all its cases that
    change anything change, where there is such a thing, and no bookkeeping column that is ignored everywhere. Of a
    column with listed values, what is written must be the same, too.
    """
    changed, stated, always = _written_in(domain, book)
    for rule in domain.rules.rules:
        if is_desk_rule(rule):
            continue
        bound: dict[Written, str] = {}
        for tool in rule.on:
            bound |= dict.fromkeys(always.get(tool) or changed.get(tool, set()), tool)
        for tool in domain.tools:
            if tool in rule.on or tool in rule.exempt:
                continue
            shared = sorted(bound.keys() & (changed.get(tool, set()) | stated.get(tool, set())))
            if shared:
                table, column, _ = shared[0]
                yield (
                    f"{rule.code} is on {bound[shared[0]]}, but not on {tool}, which writes {table}.{column}, too; "
                    f'bind it, or say why not in exempt={{"{tool}": "..."}}'
                )


_ByTool = dict[str, set[Written]]


def _written_in(domain: Domain, book: CaseBook) -> tuple[_ByTool, _ByTool, _ByTool]:
    """What the cases of each tool change, add and remove; the columns its added rows say; what every case changes."""
    changed: _ByTool = {}
    stated: _ByTool = {}
    always: _ByTool = {}
    kept, choices = _kept_by_itself(domain), choices_in(domain.schema)

    def written(table: str, values: Mapping[str, object]) -> Iterator[Written]:
        for column, value in values.items():
            if (table, column) not in kept:
                yield table, column, str(value) if (table, column) in choices else ""

    for topic in book.values():
        for case in topic.cases:
            said = stated.setdefault(case.tool, set())
            own: set[Written] = set()
            for change in case.changes:
                own |= set(written(change.table, change.changed or {}))
                if change.added is not None:
                    own.add((change.table, _ADDED, ""))
                    said |= set(written(change.table, change.added))
                if change.removed:
                    own.add((change.table, _REMOVED, ""))
            if own:
                changed.setdefault(case.tool, set()).update(own)
                always[case.tool] = always.get(case.tool, own) & own
    return changed, stated, always


def _kept_by_itself(domain: Domain) -> set[tuple[str, str]]:
    """The columns whose values nobody asks for: bookkeeping that is ignored everywhere."""
    by_table = domain.policies.by_table.items()
    return {(name, column) for name, own in by_table for column, each in own.items() if each.policy == "generated"}
