"""Result cards: written by `report --card`, verified by `rescore --card`, and the page that is made of them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from runtime.harness.evaluation.card import read_card
from tests.conftest import Cli
from tests.results_page import CARDS, PAGE, page_of_cards


@pytest.fixture
def store(tmp_path: Path, cli: Cli) -> Path:
    """Forty tasks of the library, of which the agent fails ten."""
    path = tmp_path / "run.db"
    cli("eval", "library", "--agent", "comply_all", "-n", 40, "--store", path)
    return path


def test_a_card_is_verified_from_the_store(store: Path, cli: Cli) -> None:
    card = store.with_suffix(".card.json")
    assert cli("report", store, "--card").startswith(f"{card}: comply_all: Avg@1 0.750 (0.598-0.858) over 40 tasks")
    assert card.stat().st_size < 3_000
    assert f"card: {card} is the card of this run" in cli("rescore", store, "--card", card)


@pytest.mark.parametrize(
    ("field", "value"), [("agent", "a better one"), ("void", 1), ("verdicts", "0" * 64), ("tasks", {"library": 41})]
)
def test_a_card_that_says_otherwise_is_found_out(store: Path, field: str, value: object, cli: Cli) -> None:
    card = store.with_suffix(".card.json")
    cli("report", store, "--card")
    card.write_text(json.dumps(json.loads(card.read_text()) | {field: value}))
    found = json.loads(cli("rescore", store, "--card", card, "--json", status=1))
    (difference,) = found["card"]["differences"]
    assert difference.startswith(f"the card has {field} ")


def test_rewards_that_were_edited_in_the_store_flip(store: Path, cli: Cli) -> None:
    with sqlite3.connect(store) as connection:
        edit = "json_set(record, '$.reward', 1, '$.differences', json('[]'), '$.violations', json('[]'))"
        connection.execute(f"UPDATE episode SET reward = 1, record = {edit}")
    connection.close()
    card = store.with_suffix(".card.json")
    assert "Avg@1 1.000" in cli("report", store, "--card")
    assert cli("rescore", store, "--card", card, status=1).count("flip: ") == 10


def test_what_is_no_card_is_refused_with_the_first_fault(store: Path, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "card.json").write_text('{"format": 1}')
    assert "is not a card: agent: Field required" in cli("rescore", store, "--card", tmp_path / "card.json", status=2)


def test_the_page_of_results_says_what_the_cards_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page_of_cards()


@pytest.mark.parametrize("agent", ["idle", "comply_all"])
def test_a_shipped_card_comes_out_again(agent: str, tmp_path: Path, cli: Cli) -> None:
    cli("eval", "--suite", "paper-sample", "--agent", agent, "--store", tmp_path / "run.db")
    cli("report", tmp_path / "run.db", "--card")
    own = {"began", "ended", "made_by"}
    now, then = read_card(tmp_path / "run.card.json"), read_card(CARDS / f"{agent}.json")
    assert now.model_dump(exclude=own) == then.model_dump(exclude=own)
