"""Does a comparison let a change pass? The rule, and its result as JUnit XML and as a Markdown summary for CI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from runtime.harness.evaluation.compare import Comparison, Side, describe_difference
from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.scores import LEVEL
from runtime.wording import counted

_MOST_NAMED = 20  # tasks in a summary; JUnit has all


@dataclass(frozen=True)
class GateDecision:
    """Whether the second run of a comparison may follow the first; `reasons` are why not, none if it passes."""

    comparison: Comparison
    reasons: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """True if there is no reason against the second run."""
        return not self.reasons

    @property
    def lines(self) -> list[str]:
        """The result for a person."""
        if self.passed:
            return [f"gate: passed; B is not worse than A beyond the {LEVEL:.0%} interval"]
        return [f"gate: FAILED; {each}" for each in self.reasons]


def decide(comparison: Comparison) -> GateDecision:
    """Return the gate of a comparison.

    The second run fails if the whole interval of the difference is below zero (where all tasks differ alike, so that
    there is no interval, if the sign test excludes chance), if it has no verdict on a task of the first run or void
    episodes, or if it was played under other conditions, so that the two means do not measure the same thing.
    """
    found, second = comparison.difference, comparison.second
    high = found.high if found.high is not None else found.value if comparison.p < 1 - LEVEL else 0.0
    reasons = [f"B is worse than A: {describe_difference(comparison)}"] if high < 0 else []
    if missing := comparison.first.only_here:
        reasons.append(f"B has no verdict on {counted(len(missing), 'task')} of A, such as {_named(missing[0])}")
    if second.void:
        reasons.append(f"B has {counted(second.void, 'void episode')}; play them again")
    reasons += [f"{what} is {one} in A and {other} in B" for what, one, other in comparison.conditions]
    return GateDecision(comparison, tuple(reasons))


def junit(gate: GateDecision) -> str:
    """Return the gate as JUnit XML: a case for the gate, and one for each task, with its mean rewards.

    A task that the second run solves less often is a failure only if the gate fails, because single tasks fall by
    chance.
    """
    comparison = gate.comparison
    cases = [ET.Element("testcase", classname="worldsmith.gate", name=_title(comparison))]
    if not gate.passed:
        _add_failure(cases[0], gate.reasons)
    for name, (one, other) in comparison.means.items():
        case = ET.Element("testcase", classname=f"worldsmith.{name[0]}", name=name[1])
        said = f"mean reward {one:.3f} in A, {other:.3f} in B"
        if other < one and not gate.passed:
            _add_failure(case, [said])
        ET.SubElement(case, "system-out").text = said
        cases.append(case)
    failures = sum(case.find("failure") is not None for case in cases)
    suite = ET.Element("testsuite", name="worldsmith compare", tests=str(len(cases)), failures=str(failures))
    suite.extend(cases)
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add_failure(case: ET.Element, reasons: Sequence[str]) -> None:
    ET.SubElement(case, "failure", message=reasons[0]).text = "\n".join(reasons)


def markdown(gate: GateDecision) -> Iterator[str]:
    """Yield the gate as lines of Markdown, for a pull request or a job's summary."""
    comparison = gate.comparison
    yield f"### {'Passed' if gate.passed else 'Failed'}: {_cell(_title(comparison))}"
    yield ""
    yield from (f"- {_cell(each)}" for each in gate.reasons)
    yield from [""] * bool(gate.reasons)
    yield "| run | agent | user | mean reward | tasks |"
    yield "| --- | --- | --- | --- | --- |"
    for letter, side in (("A", comparison.first), ("B", comparison.second)):
        yield f"| {letter} | {_cell(side.agent)} | {_cell(side.user)} | {side.mean:.3f} | {comparison.tasks} |"
    yield ""
    yield f"B - A: {describe_difference(comparison)}; better on {comparison.better}, worse on {comparison.worse}, "
    yield f"sign test p = {comparison.p:.3g}."
    for title, names in (("A", comparison.only_first_solves), ("B", comparison.only_second_solves)):
        if names:
            yield from ("", f"<details><summary>only {title} solves {counted(len(names), 'task')}</summary>", "")
            yield from (f"- `{_named(name)}`" for name in names[:_MOST_NAMED])
            yield from [f"- and {len(names) - _MOST_NAMED} more"] * (len(names) > _MOST_NAMED)
            yield from ("", "</details>")


def _title(comparison: Comparison) -> str:
    def said(side: Side) -> str:
        return side.agent if comparison.first.agent != comparison.second.agent else f"{side.agent} in {side.store.name}"

    return f"{said(comparison.second)} against {said(comparison.first)}"


def _named(name: TaskName) -> str:
    return ":".join(name)


def _cell(text: str) -> str:
    """Return text as one cell of a table, without markup."""
    for mark in "\\`*_[]<>|#":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())
