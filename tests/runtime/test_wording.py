"""A count agrees with its noun, an article with its sound; one of several is singular."""

from __future__ import annotations

import pytest

from runtime.domain.load import find_domain, known_domains
from runtime.domain.schema import spoken
from runtime.wording import a, counted, singular


@pytest.mark.parametrize(
    ("count", "noun", "said"),
    [
        (0, "task", "0 tasks"),
        (1, "task", "1 task"),
        (4096, "more episode", "4,096 more episodes"),
        (1, "success", "1 success"),
        (2, "success", "2 successes"),
        (3, "wish", "3 wishes"),
        (2, "entry", "2 entries"),
        (2, "day", "2 days"),
        (2, "match", "2 matches"),
    ],
)
def test_one_alone_is_in_the_singular(count: int, noun: str, said: str) -> None:
    assert counted(count, noun) == said


@pytest.mark.parametrize(
    "said",
    [
        *("a user", "an umbrella", "an hour", "a unit", "an order", "a European office", "an uninsured driver"),
        *("an SKU", "a URL", "an honest mistake", "a one-time code", "an urgent call", "a urologist", "an onion"),
        *("a utensil", "an utterance", "a house", "a zip code", "an ID", "a usual day"),
    ],
)
def test_an_article_is_that_of_the_sound(said: str) -> None:
    assert a(said.partition(" ")[2]) == said


@pytest.mark.parametrize(
    ("several", "one"),
    [
        *(("doctors", "doctor"), ("invoice lines", "invoice line"), ("addresses", "address"), ("statuses", "status")),
        *(("categories", "category"), ("boxes", "box"), ("people", "person"), ("movies", "movie"), ("ties", "tie")),
        *(("buses", "bus"), ("houses", "house"), ("courses", "course"), ("purchases", "purchase"), ("uses", "use")),
        *(("lenses", "lens"), ("branches", "branch"), ("viruses", "virus"), ("clauses", "clause"), ("keys", "key")),
    ],
)
def test_one_of_several_is_singular_and_stays_so(several: str, one: str) -> None:
    assert singular(several) == one
    assert singular(one) == one


def test_a_table_that_is_named_in_the_singular_is_said_as_it_is() -> None:
    for domain in map(find_domain, known_domains()):
        for table in domain.schema.tables:
            assert singular(spoken(table)) == spoken(table)
