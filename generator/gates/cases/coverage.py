"""What the cases of a domain leave out: each tool needs a success, and a case for each rejection that it declares."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from generator.gates.cases.case import CaseBook, is_concrete


def uncovered(book: CaseBook, rejections: Mapping[str, Collection[str]]) -> list[str]:
    """One sentence for each lack; `rejections` holds the declared kinds of each tool."""
    faults = []
    for tool, declared in rejections.items():
        own = [case for topic in book.values() for case in topic.cases if case.tool == tool]
        for case in own:
            if case.is_success and not case.changes and not is_concrete(case.result):
                faults.append(f"case {case.id!r} expects nothing that could be otherwise")
        if not any(case.is_success for case in own):
            faults.append(f"tool {tool!r} has no case in which it succeeds")
        for kind in sorted(set(declared) - {case.rejects for case in own}):
            faults.append(f"tool {tool!r} has no case that is rejected with {kind}")
    return faults
