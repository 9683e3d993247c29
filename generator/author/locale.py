"""Where an office is to be: a country's currency and dates, as Babel knows them, and what a model is told of it."""

from __future__ import annotations

from pathlib import Path

from babel import Locale as BabelLocale
from babel.core import UnknownLocaleError
from babel.dates import get_date_format
from babel.localedata import locale_identifiers
from babel.numbers import get_currency_name, get_currency_precision, get_currency_symbol, get_territory_currencies

from generator.author.writing.designs import prompt
from runtime.domain.domain import DomainCard
from runtime.domain.locale import AMERICAN, Locale
from runtime.errors import UsageError
from runtime.sandbox.files import parse_json, read_text
from runtime.task.origin import said

_LONGEST_TAG = 40
_SUBUNITS = {  # Babel has no names of them; cents are not listed
    **dict.fromkeys(("GBP", "FKP", "GIP", "SHP"), ("penny", "p", "pence")),
    **{"INR": ("paisa", "paise"), "PKR": ("paisa",), "NGN": ("kobo",), "GHS": ("pesewa", "pesewas")},
    **{"ZMW": ("ngwee",), "BWP": ("thebe",), "MWK": ("tambala",), "GMD": ("butut",), "MYR": ("sen",)},
    **{"WST": ("sene",), "TOP": ("seniti",), "PGK": ("toea",), "MVR": ("laari",), "ILS": ("agora", "agorot")},
    **{"PHP": ("centavo", "centavos"), "AED": ("fils",), "MOP": ("avo", "avos"), "CHF": ("rappen",)},
    **{"PLN": ("grosz", "groszy"), "CZK": ("haler", "haleru"), **dict.fromkeys(("DKK", "NOK", "SEK"), ("øre", "ore"))},
    **{"RON": ("ban", "bani"), "GEL": ("tetri",), "UAH": ("kopiyka", "kopiykas")},
    **dict.fromkeys(("SDG", "SSP"), ("piastre", "piastres")),
}


def choose_locale(tag: str) -> Locale:
    """Return the locale of a tag such as en-GB; errors: UsageError that says what would be right."""
    given = tag.replace("_", "-")
    try:
        asked = BabelLocale.parse(given, sep="-") if len(given) <= _LONGEST_TAG else None
    except (UnknownLocaleError, ValueError):
        asked = None
    countries = [name.replace("_", "-") for name in locale_identifiers() if _has_currency(name)]
    english = f"en-{asked.territory}" if asked is not None and asked.territory else f"en-{given.rpartition('-')[2]}"
    if asked is not None and asked.language != "en":
        right = english if english in countries else "a country's English, as in en-GB"
        raise UsageError(f"Locale {tag!r} is {asked.get_language_name('en')}, and offices speak English; give {right}.")
    if asked is None or english not in countries:
        raise UsageError(f"Locale {tag!r:.60} is not English in a country that Babel knows; write one such as en-GB.")
    if english == AMERICAN.tag:
        return AMERICAN
    own = BabelLocale.parse(english, sep="-")
    currency = get_territory_currencies(english.removeprefix("en-"))[0]
    one, many = (get_currency_name(currency, count, own).split()[-1] for count in (1, 2))
    symbol, abroad = get_currency_symbol(currency, own), get_currency_symbol(currency, "en")
    is_whole = get_currency_precision(currency) == 0
    pattern = get_date_format("full", own).pattern
    return Locale(
        tag=english,
        country=own.get_territory_name("en") or english,
        currency=currency,
        symbol=symbol,
        names=tuple(dict.fromkeys(name for name in (currency, abroad, one, many) if name != symbol)),
        subunits=() if is_whole else _SUBUNITS.get(currency, AMERICAN.subunits),
        minor=1 if is_whole else 100,
        day_first=pattern.index("d") < pattern.index("M"),
    )


def _has_currency(name: str) -> bool:
    language, _, country = name.partition("_")
    return language == "en" and len(country) == 2 and bool(get_territory_currencies(country))


def locale_of(folder: Path) -> Locale:
    """Return the locale of a domain's folder; errors: UsageError, ValueError."""
    return DomainCard.model_validate(parse_json(read_text(folder / "domain.json"))).locale


def describe_place(locale: Locale) -> str:
    """Return what every prompt ends with where an office is not in the United States; nothing otherwise."""
    if locale.is_american:
        return ""
    day, today = "2026-03-23 16:00:00", "2026-01-01"
    return "\n" + prompt(
        "locale",
        place=locale.place,
        currency=f"{get_currency_name(locale.currency, 2, 'en')} ({locale.currency})",
        unit=locale.unit,
        amounts=locale.names[-1],
        sample=locale.money(45 * locale.minor),
        fee=locale.money(1250 if locale.minor > 1 else 1200),
        fee_stored=1250 if locale.minor > 1 else 1200,
        moment=said(day, today, day_first=locale.day_first),
        birthday=said("1996-07-09", today, day_first=locale.day_first),
    )
