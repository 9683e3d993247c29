"""The line on a finished build: its figures, and whether to keep it, to mend it, or to look at it first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from generator.author.stage import figures_by_stage
from generator.gates.worth import FEWEST_TASKS
from runtime.model.book import AnswerBook
from runtime.sandbox.files import is_there, parse_json, read_lines, read_text

LIMITS: Mapping[str, float] = {
    "dropped_tools": 0.1,  # share of those that were designed
    "dropped_rules": 2,
    "dropped_scenarios": 0.1,  # share of those that were written
    "commonest": 0.25,  # share of the tasks that hold the most common kind of request
    "comply": 0.7,  # share of the tasks that are not lost by doing whatever is asked
    "refuse": 0.7,  # share of the tasks that are not lost by refusing whatever a rule could forbid
    "numbered_names": 0.05,  # share of the rows that tasks add to their worlds
    "repairs": 0.5,  # share of the requests
    "tokens": 450_000,
}
"""The most of each figure with which a build is kept without a look."""
_OF_MANY = ("commonest", "comply", "refuse")  # which few tasks say nothing of


def judge_build(folder: Path, checked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line on a domain folder, as plain JSON values, by what `check --json` said of it.

    The verdict is `mend` where a gate complains, known shortcomings included, which `worldsmith mend` sends back;
    `look` where a figure is above its limit, which nothing mends; and `keep`. Errors: UsageError.
    """
    made = parse_json(read_text(folder / "domain.json")).get("provenance", {})
    worth, book = checked["worth"], AnswerBook.read(folder / "answers.jsonl")
    usage = book.usage()
    dropped, lost = len(made.get("dropped", {})), len(made.get("dropped_scenarios", {}))
    few = worth["tasks"] < FEWEST_TASKS
    figures = {
        "dropped_tools": _share(dropped, dropped + checked["tools"]),
        "dropped_rules": len(made.get("dropped_rules", {})),
        "dropped_scenarios": _share(lost, lost + made.get("scenarios", 0)),
        "commonest": _commonest(folder / "tasks.jsonl"),
        **{
            name: round(1 - worth[lost_by], 3) if worth["rules"] and worth["tasks"] else None
            for name, lost_by in (("comply", "lost_by_complying"), ("refuse", "lost_by_refusing"))
        },
        "numbered_names": _share(worth["numbered_names"], worth["added_rows"]),
        "repairs": _share(sum(each.repairs for each in figures_by_stage(book)), len(book)),
        "tokens": usage.prompt + usage.completion,
    }
    complaints = [*checked["faults"], *checked["stopped"], *(f"known: {each}" for each in checked["known"])]
    above = [
        f"{name} is {value:,}; at most {LIMITS[name]:,} is kept without a look"
        for name, value in figures.items()
        if value is not None and value > LIMITS[name] and not (few and name in _OF_MANY)
    ]
    return {
        "domain": checked["domain"],
        "keyword": made.get("keyword"),
        "verdict": "mend" if complaints else "look" if above else "keep",
        "why": [*complaints, *above],
        **{name: checked[name] for name in ("tools", "tables")},
        "tasks": worth["tasks"],
        "rules": len(worth["rules"]),
        "scenarios": made.get("scenarios", 0),
        "lacking_forms": [form for form in made.get("forms", {}) if not worth["forms"].get(form)],
        "history": checked.get("history", {}),
        "requests": len(book),
        **figures,
        "cost": usage.cost,
        "folder": str(folder),
    }


def _commonest(tasks: Path) -> float:
    """Return the share of the tasks that hold the most common kind of request: its form, its last call, its rule."""
    count, kinds = 0, Counter[tuple[str, str, str]]()
    for _, line in read_lines(tasks) if is_there(tasks) else ():
        task = parse_json(line)
        forms = [wish.get("form", "direct") for wish in task["user"]["wishes"]]
        last = {step.get("wish", 0): step for step in task["chain"]}
        kinds.update(
            {(forms[wish], step["tool"], str(step["arguments"].get("rule_code"))) for wish, step in last.items()}
        )
        count += 1
    return _share(max(kinds.values(), default=0), count)


def _share(count: int, of: int) -> float:
    return round(count / of, 3) if of else 0.0
