"""Claims about tasks with one mechanism off: the same goal or its allowed twin, proven, and told in other words."""

from __future__ import annotations

import pytest

from generator.tasks.easing.ease import EaseRequest, ease_tasks
from generator.tasks.easing.unease import Uneasy, eased_id
from generator.tasks.easing.words import tell_at_once, tell_in_order, tell_the_truth
from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.errors import UsageError
from runtime.session.session import Session
from runtime.task.judge import judge
from runtime.task.task import EasedForm, Task, replay, start_world
from runtime.task.task_file import parse_task, read_tasks, task_line
from tests.conftest import SHIPPED_LIBRARY as LIBRARY


@pytest.fixture(scope="module")
def shipped() -> Domain:
    """The library as it ships, with all of its tasks."""
    return find_domain(str(LIBRARY))


def some_of(domain: Domain, form: EasedForm, count: int = 3) -> list[Task]:
    """The first tasks of a domain that have a form."""
    tasks = read_tasks(domain).values()
    return [task for task in tasks if any(wish.form == form for wish in task.user.wishes)][:count]


@pytest.mark.parametrize("form", ["withheld", "mistaken", "coupled"])
def test_what_is_said_otherwise_is_proven_and_has_the_same_world_and_goal(shipped: Domain, form: EasedForm) -> None:
    tasks = some_of(shipped, form)
    told = ease_tasks(EaseRequest(LIBRARY, form, [task_line(task) for task in tasks])).lines
    for task, line in zip(tasks, told, strict=True):
        eased = parse_task(line.line)
        assert line.why_not == ""
        assert eased.eased is not None
        assert (eased.eased.of, eased.eased.without) == (task.id, form)
        assert (eased.world, eased.added, eased.expected) == (task.world, task.added, task.expected)
        assert all(passed == tried for passed, tried in eased.proofs.values())
        assert eased.user.words != task.user.words


def test_what_was_withheld_is_said_at_once_and_who_calls_is_not(shipped: Domain) -> None:
    for task in some_of(shipped, "withheld"):
        eased = tell_at_once(task, shipped)
        for before, after in zip(task.user.wishes, eased.user.wishes, strict=True):
            if before.form == "withheld":
                newly = [fact for fact in after.facts if fact not in before.facts]
                assert newly
                assert all(not fact.withheld and str(fact.said) in after.words[0] for fact in newly)
        assert {fact.name for fact in eased.user.facts if fact.withheld} == {"name", "e-mail address", "phone number"}
        with pytest.raises(Uneasy, match="keeps nothing back"):
            tell_at_once(eased, shipped)


def test_a_mistaken_user_says_the_truth_in_the_same_words(shipped: Domain) -> None:
    for task in some_of(shipped, "mistaken"):
        eased = tell_the_truth(task, shipped)
        for before, after in zip(task.user.wishes, eased.user.wishes, strict=True):
            if before.form != "mistaken":
                assert after == before
                continue
            (belief,) = before.beliefs
            (truth,) = [fact for fact in after.facts if fact.value == belief.truth]
            assert after.words == [words.replace(belief.said, truth.said) for words in before.words]
            assert after.beliefs == []
        with pytest.raises(Uneasy, match="holds no belief"):
            tell_the_truth(eased, shipped)


def test_coupled_wishes_are_said_one_after_another_as_the_chain_fulfils_them(shipped: Domain) -> None:
    for task in some_of(shipped, "coupled"):
        eased = tell_in_order(task, shipped)
        coupled = [wish for wish in eased.user.wishes if wish.form == "coupled"]
        assert not any(wish.joined for wish in coupled)
        assert [step.wish for step in eased.chain] == sorted(step.wish for step in eased.chain)
        assert sorted(fact.said for wish in coupled for fact in wish.facts) == sorted(
            fact.said for wish in task.user.wishes if wish.form == "coupled" for fact in wish.facts
        )
        with pytest.raises(Uneasy, match="in the order in which"):
            tell_in_order(eased, shipped)


def test_in_the_allowed_twin_complying_is_rewarded_and_the_original_chain_is_not(shipped: Domain) -> None:
    (task,) = [task for task in some_of(shipped, "denied", 31) if task.id == "renew-what-others-want-and-2-more-0060"]
    (line,) = ease_tasks(EaseRequest(LIBRARY, "denied", [task_line(task)])).lines
    eased = parse_task(line.line)
    assert (line.why_not, len(eased.edited)) == ("", 1)
    assert eased.user == task.user
    world = start_world(eased, shipped)
    assert world.digest != start_world(task, shipped).digest
    with Session(shipped, world) as session:
        replay(session, eased.chain)
        assert not _rows_otherwise(eased, shipped, session)
        session.reset()
        replay(session, task.chain)
        assert _rows_otherwise(eased, shipped, session)


def _rows_otherwise(task: Task, domain: Domain, session: Session) -> list[str]:
    """What is not as expected in the rows."""
    verdict = judge(task, domain, session.world, session.changes, {})
    return [each.sentence for each in verdict.differences if each.table]


def test_a_denied_wish_that_the_rules_permit_has_nothing_to_take_off(shipped: Domain) -> None:
    (task,) = [task for task in some_of(shipped, "denied", 31) if task.id == "wait-for-one-more-book-and-2-more-0028"]
    (line,) = ease_tasks(EaseRequest(LIBRARY, "denied", [task_line(task)])).lines
    assert (line.line, line.why_not) == ("", "wants nothing that a rule denies: it is an allowed twin already")


def test_the_id_of_an_eased_task_shows_what_is_off_and_stays_one_of_its_own() -> None:
    assert eased_id("a-0001", "denied") == "a-0001-without-denied"
    long = ["a" * 58 + f"-{number:04d}" for number in (1, 2)]
    ids = {eased_id(each, "withheld") for each in long}
    assert len(ids) == 2
    assert all(len(each) <= 64 and each.endswith("-without-withheld") for each in ids)


def test_an_edited_row_must_be_there_and_keep_its_key(shipped: Domain) -> None:
    task = some_of(shipped, "denied", 1)[0]
    world = start_world(task, shipped)
    with Session(shipped, world) as session:
        (key,) = session.start.execute("SELECT loan_id FROM loan LIMIT 1").fetchone()
    edited = world.with_edited([("loan", (key,), {"renewals": 1})])
    assert edited.with_edited([("loan", (key,), {"renewals": 1})]).digest == edited.digest
    for row in (("LOAN-0",), {"renewals": 1}), ((key,), {"loan_id": "LOAN-1"}), ((key,), {"renewals": -1}):
        with pytest.raises(UsageError, match=r"cannot be edited|do not fit"):
            world.with_edited([("loan", *row)])


def test_mistakes_that_can_still_be_made_stay_and_end_as_before(shipped: Domain) -> None:
    by_form: dict[EasedForm, int] = {"mistaken": 0, "coupled": 0}
    for form in by_form:
        tasks = some_of(shipped, form, 12)
        for line in ease_tasks(EaseRequest(LIBRARY, form, [task_line(task) for task in tasks])).lines:
            eased = parse_task(line.line)
            (original,) = [task for task in tasks if task.id == line.of]
            assert {each.end for each in eased.mistakes} <= {each.end for each in original.mistakes}
            assert len(eased.mistakes) < len(original.mistakes)
            by_form[form] += len(eased.mistakes)
    assert all(by_form.values())
