"""A policy in a handbook: what is told, what is found, and that nothing but the search changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import worldsmith
from runtime.domain.domain import Domain
from runtime.domain.handbook import MOST_FOUND, READ, SEARCH, SISTERS, HandbookFile, with_handbook
from runtime.domain.people import DECLINE
from runtime.errors import Rejection, UsageError
from runtime.session.session import Session
from runtime.session.world import WorldCache
from runtime.task.handbook import handbook_for
from runtime.task.task import start_world

_TODAY = "SELECT rule_code FROM declined_request WHERE declined_on = ?"


@pytest.fixture(scope="module")
def library() -> Domain:
    return worldsmith.load("domains/library")


def test_the_prompt_has_neither_rules_nor_duties(library: Domain) -> None:
    told = with_handbook(library).policy
    assert SEARCH in told
    assert "note_identification" in told
    for each in (*library.rules.rules, *library.rules.duties):
        assert each.code not in told
        assert each.prose not in told


def test_every_version_has_a_number_and_only_dates_tell_which_applies(library: Domain) -> None:
    handbook = with_handbook(library).handbook
    for number, each in handbook.articles.items():
        assert each.number == number
        if each.replaces is not None:
            earlier = handbook.articles[each.replaces]
            assert (earlier.key, earlier.office) == (each.key, each.office)
            assert earlier.since < each.since
        own = {"superseded", "not yet in force"}
        assert not any(word in each.text for word in own)
    statuses = {each.status for each in handbook.own}
    assert statuses == {"in force", "superseded", "not yet in force"}


def test_searching_and_reading_change_nothing(library: Domain) -> None:
    domain = with_handbook(library)
    with Session(domain, WorldCache().take(domain, 1, 100)) as session:
        before = session.digest()
        found = session.call(SEARCH, query="renew a loan")["articles"]
        assert 1 <= len(found) <= MOST_FOUND
        read = session.call(READ, number=found[0]["number"])
        assert read["text"].startswith(found[0]["begins"])
        assert session.call(SEARCH, query="?!")["articles"] == []
        with pytest.raises(Rejection, match="has no article 7"):
            session.call(READ, number=7)
        assert session.digest() == before


def test_a_refusal_takes_a_neutral_code_and_notes_the_rule(library: Domain) -> None:
    domain = with_handbook(library)
    neutral = domain.handbook.codes["LOAN_LIMIT"]
    listed = domain.tools[DECLINE].arguments.schema["properties"]["rule_code"]["enum"]
    assert neutral in listed
    assert not set(listed) & set(library.rules.codes)
    stating = [each for each in domain.handbook.own if f"Code for refusals: {neutral}." in each.text]
    assert {each.key for each in stating} == {"out_at_once"}
    assert sum(each.status == "in force" for each in stating) == 1
    with Session(domain, WorldCache().take(domain, 1, 100)) as session:
        session.open()
        assert session.connection is not None
        (member,), (book,) = (
            session.connection.execute(f"SELECT {name}_id FROM {name}").fetchone() for name in ("member", "book")
        )
        told = session.call(DECLINE, member_id=member, subject_id=book, rule_code=neutral)
        assert told["rule_code"] == neutral
        assert session.connection.execute(_TODAY, (domain.now[:10],)).fetchall() == [("LOAN_LIMIT",)]
        with pytest.raises(Rejection, match=f"under {neutral} is recorded already"):
            session.call(DECLINE, member_id=member, subject_id=book, rule_code=neutral)


def test_superseded_figures_decide_a_request_of_the_task_otherwise(library: Domain) -> None:
    refused = "borrow-one-more-these-weeks-and-2-more-l5-0002"  # the pace forbids it
    (task,) = worldsmith.tasks(library, ids=[refused])
    searched = handbook_for(library, task.task, start_world(task.task, library))
    old = [each for each in searched.handbook.own if each.key == "pace" and each.status == "superseded"]
    assert max(old, key=lambda each: each.since).figures["BORROWING_PACE.most"] > 3
    assert searched.rules is library.rules


@pytest.mark.parametrize("faults", [None, "harsh"])
def test_who_knows_the_way_is_rewarded_and_who_asks_for_the_impossible_is_told(faults: str | None) -> None:
    chosen = worldsmith.tasks("domains/library", level=5)[:12]
    played = worldsmith.evaluate(chosen, "careful", policy="handbook", faults=faults)
    assert played.scores.avg_at_k[0].value == 1.0
    with pytest.raises(UsageError, match="policy is 'books'"):
        worldsmith.Rollout(chosen[0], policy="books")  # type: ignore[arg-type]


def test_a_final_state_is_judged_again_without_the_handbook(library: Domain) -> None:
    (task,) = worldsmith.tasks(library, ids=["borrow-one-more-these-weeks-and-2-more-l5-0002"])
    with worldsmith.Rollout(task, policy="handbook").sync() as rollout:
        rollout.open()
        assert {SEARCH, READ} <= {each["function"]["name"] for each in rollout.tools}
        rollout.call(SEARCH, {"query": "borrow book"})
        say = rollout.seat("reference")
        while not rollout.done:
            rollout.take(say())
        assert rollout.verdict().reward == 1
        assert worldsmith.judge_final(task, rollout.final()).reward == 1


def test_a_domain_without_a_handbook_says_how_to_write_one(tmp_path: Path) -> None:
    folder = shutil.copytree("domains/job_seeking", tmp_path / "job_seeking")
    (folder / "handbook.json").unlink()
    with pytest.raises(UsageError, match=r"has no handbook.json; `worldsmith handbook job_seeking"):
        with_handbook(worldsmith.load(folder))
    assert HandbookFile(format=1, articles=[]).articles == []


@pytest.mark.parametrize("name", SISTERS)
def test_the_code_of_a_rule_stands_where_its_number_does(name: str) -> None:
    domain = worldsmith.load(name)
    searched = with_handbook(domain)
    ours = [each for each in searched.handbook.articles.values() if each.office == domain.card.title]
    for rule in domain.rules.rules:
        said = f"Code for refusals: {searched.handbook.codes[rule.code]}."
        (article,) = [each for each in ours if each.status == "in force" and said in each.text]
        assert rule.code in article.codes
        figures = [figure for each in ours for figure in each.figures if figure.startswith(f"{rule.code}.")]
        assert not figures or {*figures} & {*article.figures}
