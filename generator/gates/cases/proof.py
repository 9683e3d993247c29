"""Prove a domain's cases in a child process: every outcome, and the tables that were really touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from generator.gates.cases.case import Case, TopicCases, is_concrete, read_cases
from generator.gates.cases.run import CaseRunner
from runtime.domain.load import load_domain
from runtime.errors import UsageError


def prove_cases(folder: str) -> list[dict[str, Any]]:
    """Run `cases.jsonl` of a domain folder; one entry per case, in the file's order."""
    domain = load_domain(Path(folder))
    entries = []
    for topic, own in read_cases(Path(folder) / "cases.jsonl").items():
        runner = CaseRunner(domain, own.rows)
        entries += [_entry(topic, runner, case) for case in own.cases]
    return entries


def _entry(topic: str, runner: CaseRunner, case: Case) -> dict[str, Any]:
    try:
        outcome = runner.run(case)
    except UsageError as error:  # the given rows do not fit: nothing was called
        return {"topic": topic, "id": case.id, "tool": case.tool, "kind": "unexpected", "differences": [str(error)]}
    return {
        "topic": topic,
        "id": case.id,
        "tool": case.tool,
        "kind": outcome.kind,
        "differences": list(outcome.differences),
        "observed": outcome.observed.described(),
    }


def faults_of_cases(book: dict[str, TopicCases], tools: dict[str, frozenset[str]]) -> list[str]:
    """What the cases lack: each tool needs a success, and a case for each rejection that it declares."""
    faults = []
    for tool, rejections in tools.items():
        own = [case for topic in book.values() for case in topic.cases if case.tool == tool]
        for case in own:
            if case.is_success and not case.changes and not is_concrete(case.result):
                faults.append(f"case {case.id!r} expects nothing that could be otherwise")
        if not any(case.is_success for case in own):
            faults.append(f"tool {tool!r} has no case in which it succeeds")
        for kind in sorted(rejections - {case.rejects for case in own}):
            faults.append(f"tool {tool!r} has no case that is rejected with {kind}")
    return faults
