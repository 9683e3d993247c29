"""Claims about the figures and tables of a set of domains."""

from __future__ import annotations

from dataclasses import replace

from runtime.study import DomainFacts, TokenCount, csv_files, task_table, token_table
from runtime.text_table import table_lines

ONE = DomainFacts(
    name="one",
    title="One",
    tasks=3,
    splits={"train": 2, "held_out": 1},
    levels={"1": 3},
    tools=25,
    tables=5,
    edges=60,
    density=0.1,
    foundation=TokenCount(300_000, 100_000),
    per_task=TokenCount(600.4, 99.6),
)
OTHER = DomainFacts("other", "Other & <more>", 1_000, {"train": 1_000, "held_out": 0}, {"unknown": 1_000}, 70, 22)


def test_tables_have_a_total_a_mean_and_the_papers_own_figures() -> None:
    assert list(table_lines(*task_table([ONE, OTHER]))) == [
        "domain  tasks  train  held out  tools  tables  edges  density",
        "one         3      2         1     25       5     60    0.100",
        "other   1,000  1,000         0     70      22      -        -",
        "total   1,003  1,002         1     95      27",
    ]
    lines = [" ".join(line.split()) for line in table_lines(*token_table([ONE, OTHER], "per_task"))]
    assert lines[1:] == ["one 600 100 700", "mean 600 100 700", "ScaleEnv's paper ~74,600 ~18,600 ~93,200"]


def test_csv_has_empty_cells_for_what_is_unknown() -> None:
    files = csv_files([ONE, replace(OTHER)], {(x, y): 1.0 for x in ("one", "other") for y in ("one", "other")})
    assert files["domains.csv"].splitlines()[1:] == [
        "one,3,2,1,3,0,25,5,60,0.1,300000,100000,400000,600,100,700,0",
        "other,1000,1000,0,0,1000,70,22,,,,,,,,,",
    ]
