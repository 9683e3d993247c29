"""Which tools could do what a rule forbids by another way: they write what a bound tool writes, by what cases show."""

from __future__ import annotations

from collections.abc import Iterator

from generator.gates.cases.case import CaseBook
from runtime.domain.domain import Domain

Written = tuple[str, str]  # a table, and a column or the mark of a whole row
_ADDED, _REMOVED = "(added)", "(removed)"


def unbound(domain: Domain, book: CaseBook) -> Iterator[str]:
    """A sentence for each tool that writes what a bound tool writes, and is neither bound nor left out with a reason.

    A tool that changes a column shares it with one that changes it, or adds a row that says it; one that adds or
    removes rows with one that does so, too.
    """
    changed, stated = _written_in(book)
    for rule in domain.rules.rules:
        bound: dict[Written, str] = {}
        for tool in rule.on:
            bound |= dict.fromkeys(changed.get(tool, ()), tool)
        for tool in domain.tools:
            if tool in rule.on or tool in rule.exempt:
                continue
            shared = sorted(bound.keys() & (changed.get(tool, set()) | stated.get(tool, set())))
            if shared:
                table, column = shared[0]
                yield (
                    f"{rule.code} is on {bound[shared[0]]}, but not on {tool}, which writes {table}.{column}, too; "
                    f'bind it, or say why not in exempt={{"{tool}": "..."}}'
                )


def _written_in(book: CaseBook) -> tuple[dict[str, set[Written]], dict[str, set[Written]]]:
    """What the cases of each tool change, add and remove, and the columns that its added rows say."""
    changed: dict[str, set[Written]] = {}
    stated: dict[str, set[Written]] = {}
    for topic in book.values():
        for case in topic.cases:
            own, said = changed.setdefault(case.tool, set()), stated.setdefault(case.tool, set())
            for change in case.changes:
                own |= {(change.table, column) for column in change.changed or ()}
                if change.added is not None:
                    own.add((change.table, _ADDED))
                    said |= {(change.table, column) for column in change.added}
                if change.removed:
                    own.add((change.table, _REMOVED))
    return changed, stated
