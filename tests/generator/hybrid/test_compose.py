"""Tasks of several offices are made again from their numbers, of callers whom each office knows."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from generator.hybrid.compose import HybridComposer
from generator.hybrid.person import details_of, fit_person
from generator.tasks.telling import CannotCompose
from runtime.domain.domain import Domain
from runtime.domain.hybrid import HybridDomain
from runtime.domain.load import load_domain
from runtime.session.world import World
from runtime.task.stored_world import stored_world
from runtime.task.task_file import read_tasks, task_line
from tests.conftest import SHIPPED

PLACE = SHIPPED["library"].parent / "library+online_learning"


def test_a_task_is_made_again_from_its_number() -> None:
    domain = load_domain(PLACE)
    assert isinstance(domain, HybridDomain)
    shipped = next(task for task in read_tasks(domain).values() if task.level == 4)
    _, seed, number = shipped.id.split("-")
    with HybridComposer(domain) as composer:
        made = composer.compose(int(seed[1:]) * 1_000_000 + int(number), 4)
    assert task_line(made) == task_line(shipped)


@pytest.fixture(scope="module")
def wedding() -> tuple[Domain, World]:
    """A domain that checks how its phone numbers are written, and a world of it."""
    domain = load_domain(SHIPPED["wedding_planning"])
    return domain, stored_world(domain, 300, 1, "dealt")


def _people(wedding: tuple[Domain, World]) -> list[tuple[Any, ...]]:
    with closing(wedding[1].open()) as connection:
        return connection.execute("SELECT client_id, full_name, email FROM client ORDER BY client_id").fetchall()


def test_a_caller_gets_the_details_of_another_office_as_this_one_writes_them(wedding: tuple[Domain, World]) -> None:
    (client, _, _), *_ = _people(wedding)
    person = {"name": "Ada Park", "email": "ada@example.org", "phone": "(614) 555-0198", "zip_code": "not a zip code"}
    before = details_of(*wedding, (client,))
    world, rows = fit_person(*wedding, (client,), person)
    after = details_of(wedding[0], world, (client,))
    assert after == {**before, **person, "phone": "614-555-0198", "zip_code": before["zip_code"]}
    assert {tuple(row.key) for row in rows if row.table == "client"} == {(client,)}


def test_nobody_gets_the_email_of_somebody_else(wedding: tuple[Domain, World]) -> None:
    (client, _, _), (_, _, email), *_ = _people(wedding)
    with pytest.raises(CannotCompose, match="somebody else"):
        fit_person(*wedding, (client,), {"email": email})
