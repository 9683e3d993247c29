"""How a study's figures stand in tables, for a terminal and as CSV: tasks by domain, tokens, structure, similarity."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from runtime.study.facts import PAPER_FOUNDATION, PAPER_TASK, DomainFacts, TokenCount, mean_tokens
from runtime.text_table import TableColumn

_SPLITS = {"train": "train", "held_out": "held out"}
_PAPER = "ScaleEnv's paper"


def task_columns(facts: Sequence[DomainFacts]) -> Iterator[TableColumn]:
    """Table 8, the number of tasks by domain, and the structure beside it; the last row is the total."""
    yield TableColumn("domain", [*(each.name for each in facts), "total"], is_text=True)
    yield TableColumn("tasks", _with_sum(each.tasks for each in facts))
    for split, title in _SPLITS.items():
        yield TableColumn(title, _with_sum(each.splits[split] for each in facts), 2)
    yield TableColumn("tools", _with_sum(each.tools for each in facts), 1)
    yield TableColumn("tables", _with_sum(each.tables for each in facts), 1)
    yield TableColumn("edges", [*("-" if each.edges is None else f"{each.edges:,}" for each in facts), ""], 3)
    yield TableColumn("density", [*(_share(each.density) for each in facts), ""], 1)


def token_columns(facts: Sequence[DomainFacts], of: Literal["foundation", "per_task"]) -> Iterator[TableColumn]:
    """Half of table 9, the tokens of a domain or of a task; below the domains their mean, and what ScaleEnv reports."""
    made = [(each.name, getattr(each, of), each.estimated) for each in facts if getattr(each, of) is not None]
    mean = mean_tokens([count for _, count, _ in made])
    rows = [
        *made,
        ("mean", mean, any(about for *_, about in made)),
        (_PAPER, PAPER_FOUNDATION if of == "foundation" else PAPER_TASK, True),
    ]
    title = "tokens of a domain" if of == "foundation" else "tokens of a task"
    yield TableColumn(title, [name for name, *_ in rows], is_text=True)
    for part in ("prompt", "completion", "total"):
        yield TableColumn(part, [_tokens(count, part, about) for _, count, about in rows])


def tasks_csv(facts: Sequence[DomainFacts]) -> str:
    """Table 8 with a column for each split and level."""
    levels = [level for level in ("1", "2", "3", "4", "5", "unknown") if any(level in each.levels for each in facts)]
    titles = ["domain", "tasks", *_SPLITS, *(f"level_{level}" for level in levels)]
    return as_csv(
        titles,
        (
            [
                each.name,
                each.tasks,
                *(each.splits[split] for split in _SPLITS),
                *(each.levels.get(x, 0) for x in levels),
            ]
            for each in facts
        ),
    )


def tokens_csv(facts: Sequence[DomainFacts]) -> str:
    """Table 9; a domain of which nothing is recorded has empty cells."""
    titles = [f"{what}_{part}" for what in ("domain", "task") for part in ("prompt", "completion", "total")]
    return as_csv(
        ["domain", *titles, "estimated"],
        (
            [
                each.name,
                *_cells(each.foundation),
                *_cells(each.per_task),
                int(each.estimated) if each.foundation else "",
            ]
            for each in facts
        ),
    )


def structure_csv(facts: Sequence[DomainFacts]) -> str:
    """What figure 5 shows."""
    return as_csv(
        ["domain", "tools", "tables", "edges", "density"],
        (
            [
                each.name,
                each.tools,
                each.tables,
                "" if each.edges is None else each.edges,
                "" if each.density is None else f"{each.density:.6f}",
            ]
            for each in facts
        ),
    )


def similarity_csv(names: Sequence[str], similarity: Mapping[tuple[str, str], float]) -> str:
    """How alike each two domains are."""
    return as_csv(["domain", *names], ([one, *(f"{similarity[one, other]:.6f}" for other in names)] for one in names))


def as_csv(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV with a line of titles."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows(rows)
    return text.getvalue()


def _with_sum(counts: Iterable[int]) -> list[str]:
    known = list(counts)
    return [f"{count:,}" for count in [*known, sum(known)]]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _tokens(count: TokenCount | None, part: str, about: bool) -> str:
    return "-" if count is None else f"{'~' if about else ''}{round(getattr(count, part)):,}"


def _cells(count: TokenCount | None) -> list[int | str]:
    if count is None:
        return ["", "", ""]
    return [round(count.prompt), round(count.completion), round(count.total)]
