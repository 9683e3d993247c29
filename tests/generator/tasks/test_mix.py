"""A set of tasks is balanced as it grows: by level, by scenario, by what rules say, by how users speak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from generator.tasks.mix import Mix
from generator.tasks.plan import EXPERT, SIZES, MadeOf, leads_of, plan_task, read_task_id, seed_of, speech_of, task_id
from runtime.task.user import Form

FORMS: dict[str, Form] = {
    **dict.fromkeys(("borrow", "give_back", "renew"), "direct"),
    **dict.fromkeys(("borrow_while_owing", "renew_too_late", "one_too_many"), "denied"),
    **dict.fromkeys(("find_the_newest", "find_the_cheapest"), "best_of"),
    "swap_places": "coupled",
    "change_of_mind": "changed_mind",
}


def holds_always(made: MadeOf) -> bool:
    return True


def grow(mix: Mix, count: int, holds: Callable[[MadeOf], bool] = holds_always) -> list[MadeOf]:
    """The tasks that are kept if these candidates hold, at most ten candidates a task tried."""
    kept: list[MadeOf] = []
    tried = 0
    while len(kept) < count and (places := mix.next_round(10 * count - tried)):
        for place in places:
            for made in place:
                tried += 1
                held = holds(made)
                mix.count(made, [made.lead], "" if held else "no row for the scenario")
                kept += [made] * held
                if held:
                    break
    return kept


def levels(kept: list[MadeOf]) -> dict[int, int]:
    return dict(sorted(Counter(made.complexity for made in kept).items()))


def test_half_of_the_tasks_are_of_the_two_hardest_levels_whatever_is_rejected() -> None:
    wanted = {1: 15, 2: 15, 3: 20, 4: 25, 5: 25}
    assert levels(grow(Mix(100, FORMS), 100)) == wanted
    assert levels(grow(Mix(100, FORMS), 100, lambda made: made.complexity < 4 or seed_of(str(made)) % 3 == 0)) == wanted


def test_every_scenario_begins_a_task_and_each_rule_denies_and_allows() -> None:
    kept = grow(Mix(40, FORMS), 40)
    assert {made.lead for made in kept} == FORMS.keys()
    ruled = Counter((made.lead, plan_task(made).denied) for made in kept if FORMS[made.lead] == "denied")
    assert len(ruled) == 6
    assert max(ruled.values()) - min(ruled.values()) <= 2


def test_rules_deny_in_half_of_the_requests_even_if_few_of_these_hold() -> None:
    kept = grow(Mix(100, FORMS), 100, lambda made: not plan_task(made).denied or seed_of(str(made)) % 5 == 0)
    said = Counter(plan_task(made).denied for made in kept if FORMS[made.lead] == "denied")
    assert 0.4 <= said[True] / said.total() <= 0.6


def test_users_speak_in_each_register_equally_often() -> None:
    spoken = Counter(speech_of(made.number) for made in grow(Mix(90, FORMS), 90))
    assert min(spoken.values()) >= 27


def test_the_last_places_are_for_what_no_task_has_yet() -> None:
    first = Counter[str]()

    def holds(made: MadeOf) -> bool:
        first[made.lead] += 1
        return made.lead != "one_too_many" or first[made.lead] > 3

    kept = grow(Mix(16, FORMS), 16, holds)
    assert "one_too_many" in {made.lead for made in kept}


def test_what_cannot_be_made_goes_to_others_and_is_named_with_its_reasons() -> None:
    mix = Mix(60, FORMS)
    kept = grow(mix, 60, lambda made: made.complexity < 5 and made.lead != "renew_too_late")
    assert len(kept) == 60
    assert 5 not in levels(kept)
    unmet = list(mix.unmet())
    assert any(each.startswith("level 5: 0 of 15 tasks; of ") for each in unmet)
    assert any(
        each.startswith("scenario renew_too_late: no task in which a rule denies it; of ")
        and each.endswith(" no row for the scenario")
        for each in unmet
    )
    assert not any("borrow_while_owing" in each for each in unmet)


def test_a_scenario_that_is_held_out_is_in_no_training_task() -> None:
    forms: dict[str, Form] = {**FORMS, **dict.fromkeys(("a", "b", "c", "d", "e", "f"), "direct")}
    kept = grow(Mix(100, forms), 100)
    splits = {name: {plan_task(made).split for made in kept if made.lead == name} for name in forms}
    held_out = [name for name, own in splits.items() if own == {"held_out"}]
    assert len(held_out) == 2
    assert sum(plan_task(made).split == "held_out" for made in kept) < 40


def test_an_id_says_all_that_a_task_is_made_of() -> None:
    for made in (*grow(Mix(30, FORMS, seed=7), 30), MadeOf(1_000_012, 4, "one_too_many", 500)):
        for names in ([made.lead], [made.lead, "renew"]):
            assert read_task_id(task_id(names, plan_task(made)), list(FORMS)) == made
    assert read_task_id("one-too-many-0012", list(FORMS)) is None
    assert read_task_id("two-too-many-l4-0012", list(FORMS)) is None


def test_a_scenario_that_fits_every_caller_is_in_few_tasks_while_others_fit_too() -> None:
    for share, most in ((2, 30), (1, 100)):  # it is the second of every other task, or of each
        mix = Mix(100, FORMS)
        tasks_with = kept = 0
        while kept < 100:
            for made in [place[0] for place in mix.next_round(1_000)][: 100 - kept]:
                scenarios = [made.lead, "change_of_mind"] if seed_of(str(made)) % share == 0 else [made.lead]
                is_crowded = mix.can_choose(made) and mix.is_crowded(scenarios)
                mix.count(made, scenarios, "crowded" if is_crowded else "")
                kept += not is_crowded
                tasks_with += "change_of_mind" in scenarios and not is_crowded
        assert most / 2 < tasks_with <= most + 10
        assert (tasks_with > 30) == any(line.startswith("scenario change_of_mind: in ") for line in mix.unmet())


def test_expert_tasks_with_a_scenario_that_enough_others_have_are_known_before_they_are_proven() -> None:
    forms: dict[str, Form] = {f"ask_{number}": "looked_up" for number in range(80)}
    mix = Mix(32, forms, EXPERT, linked=list(forms))
    assert sum(map(len, mix.next_round(1_000))) <= 24
    for made in (place[0] for place in mix.next_round(1_000)):
        if "ask_1" not in mix.crowded:
            mix.count(made, [made.lead, "ask_1"])
    assert mix.crowded == ["ask_1"]
    assert mix.is_crowded(["ask_2", "ask_1"])
    assert not mix.is_crowded(["ask_1", "ask_2"])
    for made in (place[0] for place in mix.next_round(1_000) * 20):
        mix.count(made, [], "too few requests of the caller decide others")
    assert mix.crowded == []


def test_a_domain_without_mechanisms_and_rules_has_no_hard_levels() -> None:
    forms: dict[str, Form] = {"borrow": "direct", "give_back": "direct"}
    assert {level for level in SIZES if leads_of(level, forms)} == {1, 2, EXPERT}
    assert {made.complexity for made in grow(Mix(20, forms), 20)} == {1, 2}
