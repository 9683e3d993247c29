"""An office of another country: what `locale` in domain.json may say, and what rules, policies and reports show."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.domain.hybrid import unite
from runtime.domain.load import load_domain
from runtime.domain.locale import AMERICAN, Locale, minor_of
from runtime.domain.rule import fill_numbers
from runtime.domain.schema import RowRef
from runtime.errors import BrokenDomain, UsageError
from runtime.verification.verdict import Difference
from tests.conftest import SHIPPED
from tests.making import write_domain

BRITISH = Locale(
    tag="en-GB",
    country="United Kingdom",
    currency="GBP",
    symbol="£",
    names=("GBP", "pound", "pounds"),
    subunits=("penny", "p", "pence"),
    minor=100,
    day_first=True,
)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        pytest.param({"tag": "de-DE"}, "'locale.tag': String should match pattern", id="another_language"),
        pytest.param({"day_first": "yes"}, "'locale.day_first': Input should be a valid boolean", id="no_truth"),
        pytest.param({"week": 1}, "'locale.week': Extra inputs are not permitted", id="unknown_key"),
        pytest.param(
            {"subunits": ["farthing", "farthings"]},
            "'locale': minor 100 goes with another unit than 'farthings'; have: cents, pence,",
            id="unknown_unit",
        ),
        pytest.param({"minor": 1}, "'locale': minor 1 goes with another unit than 'pence'; have:", id="other_minor"),
        pytest.param({"minor": 12}, "'locale.minor': Input should be 1 or 100", id="shillings_of_old"),
    ],
)
def test_a_locale_that_is_none_is_a_fault_of_the_card(tmp_path: Path, change: dict[str, Any], fault: str) -> None:
    path = write_domain(tmp_path, locale={**BRITISH.model_dump(mode="json"), **change})
    with pytest.raises(BrokenDomain) as broken:
        load_domain(path)
    assert f"domain.json: {fault}" in str(broken.value)


def test_without_a_locale_an_office_is_american(library: Domain) -> None:
    assert "locale" not in json.loads((library.path / "domain.json").read_text())
    assert library.locale == AMERICAN
    assert library.locale.is_american


def british(shipped: str, folder: Path) -> Path:
    """A copy of a shipped domain that is in the United Kingdom."""
    path = folder / shipped
    shutil.copytree(SHIPPED[shipped], path, ignore=shutil.ignore_patterns("__pycache__", "tasks", "*.jsonl"))
    card = json.loads((path / "domain.json").read_text())
    (path / "domain.json").write_text(json.dumps({**card, "locale": BRITISH.model_dump(mode="json")}))
    return path


def test_rules_and_policy_are_in_the_currency_of_the_office(tmp_path: Path, cli: Callable[..., str]) -> None:
    path = british("community_garden", tmp_path)
    (fee,) = (each.prose for each in load_domain(path).rules.duties if each.code == "CLEANUP_FEE")
    assert "£40, or £75 if the plot" in fee
    policy = cli("show", path, "--policy-text")
    assert "- The office is in the United Kingdom, and amounts are in pounds (GBP).\n" in policy
    assert "$" not in policy
    shown = cli("show", path)
    assert "The office is in the United Kingdom" in shown
    assert json.loads(cli("show", path, "--json"))["locale"]["tag"] == "en-GB"
    assert "locale" not in json.loads(cli("show", "community_garden", "--json"))


def test_offices_of_two_countries_are_not_joined(library: Domain) -> None:
    abroad = replace(library, card=library.card.model_copy(update={"name": "british", "locale": BRITISH}))
    with pytest.raises(UsageError, match=r"'library' is in the United States and 'british' in the United Kingdom;"):
        unite([library, abroad])


@pytest.mark.parametrize(
    ("prose", "said"), [("{fee_pence} per day", "£12.50 per day"), ("{fee_pence} pence", "1250 pence"), ("{days}", "3")]
)
def test_an_amount_in_a_rule_is_said_in_full_unless_its_unit_follows(prose: str, said: str) -> None:
    assert fill_numbers(prose, {"fee_pence": 1250, "days": 3}, BRITISH) == said


@pytest.mark.parametrize(
    ("name", "minor"), [("fee_cents", 100), ("fee_pence", 100), ("fee_yen", 1), ("cents", None), ("fee", None)]
)
def test_the_name_of_an_amount_says_its_unit(name: str, minor: int | None) -> None:
    assert minor_of(name) == minor


def test_a_difference_is_told_in_the_currency_of_the_office() -> None:
    row = RowRef("charge", ("C1",), "fee_pence")
    assert Difference("wrong_value", row, 1250, 1200, symbol="£").sentence.endswith(": fee is £12, expected £12.50.")
