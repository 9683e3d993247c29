"""Claims about the pictures and tables of a study: all is on them, and the same bytes every time."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace

import pytest

from runtime.study.draw_structure import draw_structure
from runtime.study.draw_tools import draw_tools
from runtime.study.facts import DomainFacts, TokenCount
from runtime.study.svg import KINDS, draw_mark, ticks_up_to
from runtime.study.tables import structure_csv, task_columns, token_columns, tokens_csv
from runtime.text_table import lay_out

_SVG = "{http://www.w3.org/2000/svg}"
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


def test_each_domain_is_a_bubble_at_its_place_with_its_name() -> None:
    drawn = ElementTree.fromstring(draw_structure([ONE, OTHER]))
    circles = {str(each.get("class")).partition(" ")[0]: each for each in drawn.iter(f"{_SVG}circle")}
    assert float(circles["bubble"].get("cx", 0)) < float(circles["none"].get("cx", 0))
    assert float(circles["bubble"].get("cy", 0)) > float(circles["none"].get("cy", 0))
    assert "".join(circles["bubble"].itertext()) == "one: 25 tools, 5 tables, 60 edges, density 0.100"
    assert "other: 70 tools, 22 tables, no graph" in "".join(circles["none"].itertext())
    texts = [each.text for each in drawn.iter(f"{_SVG}text")]
    assert {"one", "other", "tools", "tables"} <= set(texts)
    assert draw_structure([ONE, OTHER]) == draw_structure([ONE, replace(OTHER)])


def test_colours_are_written_out_for_programs_that_know_no_variables_of_css() -> None:
    drawn = draw_structure([ONE, OTHER, replace(ONE, name="third", density=0.05)])
    assert "var(" not in drawn
    assert [
        each for each in (".s20{fill:#0f3d8a}", ".s10{fill:#7592c1}", ".s0{fill:#dbe7f8}") if each not in drawn
    ] == []
    assert ['class="bubble s20"' in drawn, 'class="bubble s10"' in drawn] == [True, True]


def test_each_tool_is_a_mark_of_its_domain() -> None:
    tools = [("one", "find"), ("one", "add"), ("other", "find")]
    drawn = ElementTree.fromstring(draw_tools(tools, [(-1, -1), (1, 1), (0.5, 0)]))
    marks = list(drawn.iter(f"{_SVG}path"))
    told = Counter("".join(mark.itertext()) for mark in marks)
    assert told == {"find (one)": 1, "add (one)": 1, "find (other)": 1, "": 2}  # and two in the legend
    assert len({draw_mark(kind, 0, 0) for kind in range(KINDS)}) == KINDS


@pytest.mark.parametrize(("most", "ticks"), [(1, [0, 1]), (7, [0, 2, 4, 6, 8]), (50, [0, 10, 20, 30, 40, 50])])
def test_ticks_are_round_and_reach_the_largest(most: int, ticks: list[int]) -> None:
    assert ticks_up_to(most) == ticks


def test_tables_have_a_total_a_mean_and_the_papers_own_figures() -> None:
    assert list(lay_out(task_columns([ONE, OTHER]), 100)) == [
        "domain  tasks  train  held out  tools  tables  edges  density",
        "one         3      2         1     25       5     60    0.100",
        "other   1,000  1,000         0     70      22      -        -",
        "total   1,003  1,002         1     95      27",
    ]
    assert list(lay_out(task_columns([ONE, OTHER]), 20)) == [
        "domain  tasks",
        "one         3",
        "other   1,000",
        "total   1,003",
        "(no room for: train,",
        "  held out, tools,",
        "  tables, edges,",
        "  density)",
    ]
    assert list(lay_out(token_columns([ONE, OTHER], "per_task"), 60)) == [
        "tokens of a task   prompt  completion    total",
        "one                   600         100      700",
        "mean                  600         100      700",
        "ScaleEnv's paper  ~74,600     ~18,600  ~93,200",
    ]
    assert tokens_csv([ONE, OTHER]).splitlines()[1:] == ["one,300000,100000,400000,600,100,700,0", "other,,,,,,,"]
    assert structure_csv([ONE, OTHER]).splitlines()[1:] == ["one,25,5,60,0.100000", "other,70,22,,"]


def test_a_long_name_is_cut_where_there_is_no_room() -> None:
    long = replace(ONE, name="a" * 60)
    assert all(len(line) <= 40 for line in lay_out(task_columns([long]), 40))
