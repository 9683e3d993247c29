"""`list` and `show` say what there is, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.main import main
from runtime.graph import read_graph
from tests.conftest import SHIPPED_LIBRARY, Cli
from tests.making import write_domain


def test_list_names_domains_and_what_they_hold_and_broken_ones_too(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "library: Town library; 15 tools, 6 tables, 256 tasks" in cli("list")
    looped = write_domain(tmp_path / "domains" / "x")
    looped.rename(tmp_path / "domains" / "looped")
    (tmp_path / "domains" / "looped" / "tools" / "again.py").symlink_to("again.py")
    out = write_domain(tmp_path / "domains")
    (out / "tools").rename(tmp_path / "elsewhere")
    (out / "tools").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path)
    output = cli("list", status=1)
    for words in ("looped: broken, 1 fault;", "small: broken, 1 fault;", "library: Town library"):
        assert words in output
    assert "it is a link that leads back to itself" in cli("show", "looped", status=2)
    assert "outside of its folder; put the file there" in cli("show", "small", status=2)
    path = write_domain(tmp_path, clock="yesterday", world="")
    assert main(["show", str(path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line[:7] for line in lines] == ["error: "] * 2  # every fault of a broken domain is a line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "Table hold: A member's place in the queue"),
        ("", "cancel_hold: Cancel a hold."),
        ("", "  and 236 more"),
        ("--task keep-a-book", "is changed: due_on 2026-04-03, renewals 1"),
        ("--tool cancel_hold", "place_hold (data_flow, precondition)"),
        ("--graph", "isolated: none"),
        ("--graph", "  search_books: borrow_book (data_flow), decline_request (data_flow), place_hold (data_flow)"),
        ("--policy-text", "at most 5 books checked out at a time"),
    ],
)
def test_a_part_of_a_domain_is_shown_in_words(words: str, said: str, cli: Cli) -> None:
    assert said in cli("show", "library", *words.split())


def test_a_part_of_a_domain_is_shown_as_json(cli: Cli) -> None:
    def shown(*words: str) -> dict[str, object]:
        return json.loads(cli("show", "library", *words, "--json"))

    assert shown()["tables"]["hold"]["columns"]["note"]["policy"] == "semantic"
    tool = shown("--tool", "cancel_hold")
    assert tool["input_schema"]["required"] == ["hold_id"]
    assert {"source": "place_hold", "target": "cancel_hold", "kind": "data_flow"} in tool["edges"]
    assert shown("--task", "keep-a-book")["id"] == "keep-a-book"
    graph = shown("--graph")
    assert graph["edges"] == len(read_graph(SHIPPED_LIBRARY).edges)
    ends = ("place_hold", "cancel_hold", "precondition")
    [edge] = [each for each in graph["links"] if (each["source"], each["target"], each["kind"]) == ends]
    assert edge["evidence"]["before"].startswith("NOT_FOUND: No hold")
    assert {"seed": 1, "size": 150}.items() <= graph["starts"][edge["evidence"]["start"]].items()
