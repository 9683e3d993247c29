"""Babel's countries as locales of offices, what a model is told of them, and tasks of a British office, played."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.author.locale import choose_locale, describe_place
from runtime.domain.load import load_domain
from runtime.domain.locale import AMERICAN
from runtime.errors import UsageError
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.users.scripted import ScriptedKind
from runtime.task.task import start_world
from runtime.task.task_file import read_tasks
from runtime.task.values import said_value
from tests.runtime.domain.test_locale import BRITISH, british
from tests.runtime.harness.acting import play_one


@pytest.mark.parametrize(
    ("tag", "country", "currency", "symbol", "unit", "day_first"),
    [
        ("en-CA", "Canada", "CAD", "$", "cents", False),
        ("en-PH", "Philippines", "PHP", "₱", "centavos", False),
        ("en-IN", "India", "INR", "₹", "paise", True),
        ("en-AU", "Australia", "AUD", "$", "cents", True),
        ("en-ZA", "South Africa", "ZAR", "R", "cents", True),
        ("en-DE", "Germany", "EUR", "€", "cents", True),
        ("en-JP", "Japan", "JPY", "¥", "yen", False),
        ("en-AE", "United Arab Emirates", "AED", "AED", "fils", True),
    ],
)
def test_a_locale_is_what_babel_knows_of_its_country(
    tag: str, country: str, currency: str, symbol: str, unit: str, day_first: bool
) -> None:
    found = choose_locale(tag)
    assert (found.tag, found.country, found.currency, found.symbol) == (tag, country, currency, symbol)
    assert (found.unit, found.day_first, found.minor) == (unit, day_first, 1 if unit == "yen" else 100)


def test_the_default_is_american_and_spelling_of_a_tag_does_not_matter() -> None:
    assert choose_locale("en-US") == choose_locale("en_us") == AMERICAN
    assert choose_locale("en-GB") == choose_locale("en_gb") == BRITISH


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ("de-DE", "Locale 'de-DE' is German, and offices speak English; give en-DE."),
        ("fr_CA", "Locale 'fr_CA' is French, and offices speak English; give en-CA."),
        ("de", "Locale 'de' is German, and offices speak English; give a country's English, as in en-GB."),
        ("en", "Locale 'en' is not English in a country that Babel knows; write one such as en-GB."),
        ("en-KP", "Locale 'en-KP' is not English in a country that Babel knows; write one such as en-GB."),
        ("british", "Locale 'british' is not English in a country that Babel knows; write one such as en-GB."),
    ],
)
def test_another_language_is_refused_in_one_sentence(tag: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        choose_locale(tag)
    assert str(refused.value) == said


def test_a_model_is_told_of_the_place_only_where_it_is_not_american() -> None:
    assert describe_place(AMERICAN) == ""
    told = describe_place(BRITISH)
    for part in ("in the United Kingdom", "British pounds (GBP)", "`fee_pence`", "£12.50", "Monday 23 March at 4 PM"):
        assert part in told
    whole = describe_place(choose_locale("en-JP"))
    assert "write `fee_yen` where you read `fee_cents`" in whole
    assert '"¥45"' in whole


def keep_scenarios(path: Path, *names: str) -> None:
    """Leave only some scenarios of a folder."""
    text = (path / "scenarios.py").read_text()
    lines, tree = text.splitlines(), ast.parse(text)
    others = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name not in names]
    for each in reversed(others):
        del lines[each.decorator_list[0].lineno - 1 if each.decorator_list else each.lineno - 1 : each.end_lineno]
    (path / "scenarios.py").write_text("\n".join(lines) + "\n")


def test_users_of_a_british_garden_speak_of_pounds_and_the_reference_agent_answers_in_them(
    tmp_path: Path, cli: Callable[..., str]
) -> None:
    path = british("community_garden", tmp_path)
    keep_scenarios(path, "pay_a_charge", "what_one_plot_cost")
    cli("tasks", path, "-n", 4, "--level", 2, "--unverified")
    domain = load_domain(path)
    tasks = list(read_tasks(domain).values())
    told = " ".join(words for task in tasks for words in task.user.words)
    assert "£" in told
    assert "$" not in told
    answers = [answer for task in tasks for answer in task.answers if answer.kind == "money"]
    assert answers
    records = [
        play_one(domain, start_world(task, domain), ReferenceAgent(), task, user=ScriptedKind()) for task in tasks
    ]
    assert {record.reward for record in records} == {1}
    heard = " ".join(message.text for record in records for message in record.messages)
    assert all(f"{answer.name}: {said_value(answer, BRITISH)}" in heard for answer in answers)
