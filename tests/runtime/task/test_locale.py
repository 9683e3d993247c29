"""People and assistants of another country: dates, amounts and questions as they say them, and what is read back."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from runtime.domain.domain import Domain
from runtime.domain.locale import AMERICAN, Locale
from runtime.harness.users.model_user import FreeUser
from runtime.harness.users.scripted import ScriptedUser
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.answers import AnswerReader
from runtime.task.origin import said
from runtime.task.story import Story, script_of
from runtime.task.task import TaskAnswer
from runtime.task.values import is_right, read_value, said_value
from tests.runtime.domain.test_locale import BRITISH
from tests.runtime.harness.users.hand_made import COUNT, at_once, make_task
from tests.runtime.model.scripted import ScriptedModel

TODAY = date(2026, 3, 16)
FEE = TaskAnswer(name="late fee", kind="money", value=250, minor=100)
DUE = TaskAnswer(name="due date", kind="date", value="2026-04-03")


def _locale(tag: str, currency: str, symbol: str, *names: str, day_first: bool = True, whole: bool = False) -> Locale:
    return AMERICAN.model_copy(
        update={
            **{"tag": tag, "country": "Elsewhere", "currency": currency, "symbol": symbol, "day_first": day_first},
            **({"names": (currency, *names), "minor": 1, "subunits": ()} if whole else {"names": (currency, *names)}),
        }
    )


CANADIAN = _locale("en-CA", "CAD", "$", "CA$", "dollar", "dollars", day_first=False)
SOUTH_AFRICAN = _locale("en-ZA", "ZAR", "R", "rand")
KENYAN = _locale("en-KE", "KES", "Ksh", "shilling", "shillings")
JAPANESE = _locale("en-JP", "JPY", "¥", "yen", day_first=False, whole=True)
SWISS = _locale("en-CH", "CHF", "CHF", "franc", "francs")


@pytest.mark.parametrize(
    ("locale", "line"),
    [
        *((BRITISH, each) for each in ("£2.50", "2.50", "2.50 pounds", "GBP 2.50", "250 pence", "250p", "**£2.50**.")),
        *((CANADIAN, each) for each in ("$2.50", "CA$2.50", "CAD 2.50", "250 cents", "2.5 dollars")),
        *((SOUTH_AFRICAN, each) for each in ("R2.50", "R 2.50", "2.50 rand", "ZAR 2.50", "250 cents")),
        *((KENYAN, each) for each in ("Ksh 2.50", "KSh2.50", "2.5 shillings")),
        *((SWISS, each) for each in ("2.50 CHF", "CHF 2.50", "CHF2.50", "2.5 francs")),
    ],
)
def test_an_amount_is_read_in_the_currency_of_the_office(locale: Locale, line: str) -> None:
    value = read_value(FEE, line, TODAY, locale)
    assert value is not None
    assert is_right(FEE, value)


@pytest.mark.parametrize(
    ("locale", "line"),
    [(BRITISH, "$2.50"), (BRITISH, "2.50 dollars"), (BRITISH, "€2.50"), (AMERICAN, "£2.50"), (CANADIAN, "US$2.50")]
    + [(BRITISH, "£250 pence"), (SOUTH_AFRICAN, "$2.50"), (SOUTH_AFRICAN, "RR2.50"), (AMERICAN, "250p")],
)
def test_another_currency_is_not_read(locale: Locale, line: str) -> None:
    assert read_value(FEE, line, TODAY, locale) is None


@pytest.mark.parametrize(
    ("locale", "words"),
    [(AMERICAN, "$2.50"), (BRITISH, "£2.50"), (SOUTH_AFRICAN, "R 2.50"), (KENYAN, "Ksh 2.50"), (SWISS, "2.50 CHF")],
)
def test_an_amount_is_said_as_it_is_read(locale: Locale, words: str) -> None:
    assert said_value(FEE, locale) == words
    assert read_value(FEE, words, TODAY, locale) == "2.5"
    reader = AnswerReader(make_task(COUNT).model_copy(update={"answers": [FEE]}), "2026-03-16", lambda _: (), locale)
    assert reader.read_in_passing(["late fee"], f"I waived the late fee of {words} for you.") == {"late fee": "2.5"}


def test_whole_amounts_have_no_parts() -> None:
    price = TaskAnswer(name="price", kind="money", value=1500, minor=1)
    assert said_value(price, JAPANESE) == "¥1,500"
    assert {read_value(price, each, TODAY, JAPANESE) for each in ("¥1,500", "1500 yen", "JPY 1,500")} == {"1500"}


@pytest.mark.parametrize(
    ("locale", "line", "value"),
    [
        (BRITISH, "3/4/2026", "2026-04-03"),
        (BRITISH, "Friday 3 April 2026", "2026-04-03"),
        (BRITISH, "April 3", "2026-04-03"),
        (AMERICAN, "4/3/2026", "2026-04-03"),
        (CANADIAN, "4/3/2026", "2026-04-03"),
    ],
)
def test_a_date_is_read_in_the_order_of_the_country(locale: Locale, line: str, value: str) -> None:
    assert read_value(DUE, line, TODAY, locale) == value


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("2026-03-18", "Wednesday 18 March"),
        ("2025-12-30", "Tuesday 30 December 2025"),
        ("2026-03-18 14:00:00", "Wednesday 18 March at 2 PM"),
        ("1996-07-09", "9 July 1996"),
        (["2026-03-18", "2026-03-19"], "Wednesday 18 March and Thursday 19 March"),
    ],
)
def test_a_day_comes_before_its_month_where_people_say_so(value: object, words: str) -> None:
    assert said(value, "2026-03-16", day_first=True) == words


def test_a_user_of_a_british_office_speaks_of_pounds_and_days_first(library: Domain, world: World) -> None:
    abroad = replace(library, card=library.card.model_copy(update={"locale": BRITISH}))
    with Session(abroad, world) as session:
        story = Story(session, 1)
        price = story.money(story.choose("price", [123450]))
        story.tell("I have {price} until {day}.", price=price, day=story.day(7))
        assert script_of(story).words == ["I have £1,234.50 until Monday 23 March."]


@pytest.mark.parametrize(("locale", "unit"), [(AMERICAN, "in dollars"), (BRITISH, "in pounds"), (JAPANESE, "in yen")])
def test_a_closed_question_names_the_form_of_the_country(locale: Locale, unit: str) -> None:
    task = make_task(COUNT).model_copy(update={"answers": [FEE, DUE]})
    user = ScriptedUser(task, 1, AnswerReader(task, "2026-03-16 09:00:00", lambda _: (), locale))
    at_once(user.open())
    asked = at_once(user.reply("I have looked that up.", ())).text
    assert f"late fee, {unit}" in asked
    assert f"due date, like {'5 March 2026' if locale.day_first else 'March 5, 2026'}" in asked


@pytest.mark.parametrize(
    ("locale", "who"), [(AMERICAN, "an American customer"), (BRITISH, "a customer who lives in the United Kingdom")]
)
def test_a_model_plays_a_customer_of_the_country(locale: Locale, who: str) -> None:
    task = make_task(COUNT)
    user = FreeUser(ScriptedModel({}), task, 1, AnswerReader(task, "2026-03-16", lambda _: (), locale))
    user.machine.open()
    assert user._request("user", "free.md", {}).prefix.startswith(f"You play {who} who")
