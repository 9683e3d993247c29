"""Expert tasks: what is right for one request depends on an earlier one, found, composed and proven by execution."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from generator.tasks.compose import Composer
from generator.tasks.interlocks import (
    FILE,
    Interlocks,
    Pair,
    digest_for_interlocks,
    find_pairs,
    links_of,
    read_interlocks,
    write_interlocks,
)
from generator.tasks.plan import EXPERT, MadeOf, plan_task
from generator.tasks.proofs.all import fault_of_conversation, prove_candidate
from generator.tasks.proofs.replayer import Candidate, TaskReplayer
from generator.tasks.proofs.variations import try_order
from generator.tasks.studied_world import Network, StudiedWorld
from generator.tasks.telling import CannotCompose, tell
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.graph import Graph, read_graph
from runtime.session.session import Session
from runtime.task.decisions import TaskDecision, wrong_decisions
from runtime.task.judge import JudgedTask, right_decisions
from runtime.task.mistakes import AS_SAID, COMPLIES, FIRST_ONLY, REFUSES, STALE, mistaken
from runtime.task.picks import NoSuchRow
from runtime.task.story import Story, load_scenarios
from runtime.task.task import replay
from tests.conftest import LIBRARY, SHIPPED


@pytest.fixture(scope="module")
def expert(composer: Composer) -> Candidate:
    return composer.compose(MadeOf(2, EXPERT, "have_some_fees_waived"))


def test_an_expert_task_is_proven_and_won_in_conversation(expert: Candidate, library: Domain) -> None:
    proven = prove_candidate(expert)
    assert proven.holds, [proof.reason for proof in proven.proofs.values()]
    assert not fault_of_conversation(expert.task, library, expert.world)
    depending = [each for each in expert.task.decisions if each.after]
    assert depending
    assert len({wish for each in expert.task.decisions for wish in (each.wish, *each.after)}) >= 2
    assert all(max(each.after) < each.wish for each in depending)
    assert expert.task.difficulty["links"] == len(expert.links)


def test_whoever_decides_by_how_things_stood_before_loses_and_is_told_which_decision(
    expert: Candidate, library: Domain
) -> None:
    stale = [each for each in prove_candidate(expert).mistakes if each.name == STALE]
    assert stale
    for each in stale:
        wrong = mistaken(expert.task, [each])
        judged = JudgedTask(expert.task, library, expert.world)
        with Session(library, expert.world) as session:
            replay(session, wrong.chain)
            told = {answer.name: each.told.get(answer.name, str(answer.value)) for answer in expert.task.answers}
            verdict = judged.judge(session.changes, told)
        right = right_decisions(expert.task, verdict.components, verdict.differences)
        assert verdict.reward == 0
        assert any(not was and each.after for each, was in zip(expert.task.decisions, right, strict=True))
        assert verdict.components["dependent_decisions"] == 0
        assert verdict.progress < 1


def test_without_the_earlier_request_the_later_one_is_decided_otherwise(expert: Candidate, graph: Graph) -> None:
    assert all(link.earlier < link.later < len(expert.parts) for link in expert.links)
    of = expert.task.world
    with StudiedWorld(expert.domain, Network(expert.domain, graph, {}), of.seed, of.size) as studied:
        telling = tell(studied.session, expert.parts)
        assert set(links_of(studied, expert.parts, telling)) == set(expert.links)


def test_what_was_told_before_is_the_same_when_it_is_told_again(expert: Candidate, library: Domain) -> None:
    with Session(library, expert.world) as often, Session(library, expert.world) as once:
        tell(often, expert.parts[:1])
        tell(often, expert.parts[:2])
        again = tell(often, expert.parts)
        assert again == tell(once, expert.parts)
        assert again == tell(often, expert.parts)
        assert often.digest() == once.digest()
        assert often.scanned() == once.scanned()


def test_pairs_are_found_by_telling_two_scenarios_with_and_without_each_other(library: Domain, graph: Graph) -> None:
    names = ("have_some_fees_waived", "ask_for_the_whole_debt", "give_a_new_phone_number")
    programs = {name: load_scenarios(LIBRARY)[name] for name in names}
    with StudiedWorld(library, Network(library, graph, {}), 2, 300) as studied:
        found = set(find_pairs(studied, programs, range(3)))
    assert found == {Pair("have_some_fees_waived", "ask_for_the_whole_debt", "answer")}


def test_interlocks_are_read_only_where_they_were_found(library_copy: Path) -> None:
    domain = load_domain(library_copy)
    shipped = read_interlocks(domain)
    assert shipped.pairs
    assert shipped.partners[shipped.pairs[0].earlier] >= {shipped.pairs[0].later}
    (library_copy / "policy.md").write_text("In other words.")
    assert digest_for_interlocks(load_domain(library_copy)) == shipped.of
    again = Interlocks(shipped.pairs, digest_for_interlocks(domain))
    assert json.loads(write_interlocks(again)) == json.loads((library_copy / FILE).read_text())
    for text, why in (('{"of": "0", "pairs": []}', "other scenarios"), ("[1]", "does not name"), (None, "has no")):
        (library_copy / FILE).unlink() if text is None else (library_copy / FILE).write_text(text)
        with pytest.raises(UsageError, match=why):
            read_interlocks(domain)


def test_wrong_decisions_are_counted_and_said() -> None:
    decisions = [
        TaskDecision(wish=0, decides="allowed"),
        TaskDecision(wish=1, decides="denied", rule="HOLD_LIMIT", row="B1", after=[0]),
        TaskDecision(wish=2, decides="answer", answer="total", after=[0, 1]),
    ]
    assert wrong_decisions(decisions, [True, True, True]) == []
    assert wrong_decisions(decisions, [True, False, False]) == [
        "2 of 3 decisions went wrong.",
        "Request 2 is denied by HOLD_LIMIT, which depends on request 1.",
        "Request 3 asks for the total, which depends on requests 1 and 2.",
    ]


@pytest.fixture(scope="module")
def in_one_message(composer: Composer) -> Candidate:
    """A task in which two requests of one message cannot both be done as they are said."""
    return composer.compose(MadeOf(8, EXPERT, "leave_a_queue"))


def test_requests_of_one_message_are_done_in_the_order_in_which_both_can_be(
    in_one_message: Candidate, library: Domain
) -> None:
    task = in_one_message.task
    (order,) = [each for each in task.decisions if each.decides == "order"]
    assert task.user.wishes[order.after[0]].joined
    assert order.after[0] == order.wish + 1
    done = [step.wish for step in task.chain if step.wish in (order.wish, *order.after)]
    assert done == sorted(done, reverse=True)
    proven = prove_candidate(in_one_message)
    assert proven.holds, [proof.reason for proof in proven.proofs.values()]
    assert not fault_of_conversation(task, library, in_one_message.world)
    assert any(trial.what == "told" for trial in proven.trials["order"])
    assert AS_SAID in [each.name for each in proven.mistakes]


def test_where_both_orders_serve_the_proof_of_order_fails(in_one_message: Candidate, library: Domain) -> None:
    """Without the rule that decides, nothing keeps the two requests from being done as they are said."""
    task = in_one_message.task
    (order,) = [each for each in task.decisions if each.decides == "order"]
    free = [link for link in in_one_message.links if link.kind != "order"]
    rules = replace(library.rules, rules=[each for each in library.rules.rules if each.code != "HOLD_LIMIT"])
    without = replace(library, rules=rules)
    candidate = replace(in_one_message, domain=without, links=tuple(free))
    with TaskReplayer(without, task, candidate.world) as replayer:
        told = [trial.fault for trial in try_order(replayer) if trial.what == "told"]
    assert len(told) == 1
    assert "can be fulfilled as they are told" in told[0]
    assert order.sentence.startswith(f"Request {order.wish + 1} comes last of its message")


@pytest.mark.parametrize("name", ["keep_everything_longer", "take_three_home"])
def test_each_record_of_a_set_is_decided_by_itself(composer: Composer, library: Domain, name: str) -> None:
    candidate = composer.compose_alone(name, plan_task(MadeOf(3, EXPERT, name), has_forms=True))
    decided = [bool(asked.rules) for asked in candidate.scripts[0].permissions]
    assert len(decided) == 3
    assert len(set(decided)) == 2
    (wish,) = candidate.task.user.wishes
    assert (wish.writes, wish.refusals) == (decided.count(False), decided.count(True))
    proven = prove_candidate(candidate)
    assert proven.holds, [proof.reason for proof in proven.proofs.values()]
    assert not fault_of_conversation(candidate.task, library, candidate.world)
    assert {COMPLIES, REFUSES, FIRST_ONLY} <= {each.name for each in proven.mistakes}


def test_a_set_of_one_record_is_none(expert: Candidate) -> None:
    with Session(expert.domain, expert.world) as session, pytest.raises(NoSuchRow, match="A list of 1 is no set"):
        Story(session, 1).each([{"loan_id": "LOAN-1"}])


@pytest.fixture(scope="module")
def made_again(composer: Composer) -> Candidate:
    """A task in which a request is refused, and made again once its cause is gone."""
    return composer.compose(MadeOf(0, EXPERT, "have_some_fees_waived"))


def test_what_was_refused_and_must_stay_undone_is_refused_again_without_a_second_record(
    made_again: Candidate, library: Domain
) -> None:
    task = made_again.task
    (wish,) = [number for number, each in enumerate(task.user.wishes) if each.again is not None]
    first = task.user.wishes[wish].again
    assert first is not None
    assert task.user.wishes[wish].short == task.user.wishes[first].short
    assert task.user.wishes[wish].words != task.user.wishes[first].words
    assert (first in task.user.accounted, wish in task.user.accounted) == (False, True)
    assert not task.user.wishes[wish].refusals
    (decision,) = [each for each in task.decisions if each.wish == wish]
    assert decision.sentence.endswith(f"is denied by DECLINED_STAYS, which depends on request {first + 1}.")
    proven = prove_candidate(made_again)
    assert proven.holds, [proof.reason for proof in proven.proofs.values()]
    assert not fault_of_conversation(task, library, made_again.world)
    (stale,) = [each for each in proven.mistakes if each.name == STALE and each.turn[-1].wish == wish]
    judged = JudgedTask(task, library, made_again.world)
    with Session(library, made_again.world) as session:
        replay(session, mistaken(task, [stale]).chain)
        assert {each.code for each in session.unmet_duties()} == {"DECLINED_STAYS"}
        verdict = judged.judge(session.changes, {each.name: str(each.value) for each in task.answers})
    assert decision.sentence in wrong_decisions(
        task.decisions, right_decisions(task, verdict.components, verdict.differences)
    )


def test_where_no_duty_keeps_a_refusal_the_request_is_allowed_once_its_cause_is_gone(
    library: Domain, graph: Graph
) -> None:
    free = replace(library, rules=replace(library.rules, duties=()))
    with Composer(free, graph) as composer:
        candidate = composer.compose(MadeOf(0, EXPERT, "have_some_fees_waived"))
    repeated = [at for at, part in enumerate(candidate.parts) if part.again]
    assert [[each.rules for each in candidate.scripts[at].permissions] for at in repeated] == [[()]]
    proven = prove_candidate(candidate)
    assert proven.holds, [proof.reason for proof in proven.proofs.values()]
    assert not fault_of_conversation(candidate.task, free, candidate.world)


def test_no_two_requests_ask_for_answers_of_one_name() -> None:
    office = load_domain(SHIPPED["email_management"])
    with (
        Composer(office, read_graph(office.path)) as composer,
        pytest.raises(CannotCompose, match="its line would not be read: it has two answers named 'total'"),
    ):
        composer.compose(MadeOf(1_000_148, EXPERT, "turn_a_filter_back_on"))
