"""What scenarios of callers are asked for: the page that explains the story, groups by form, what stays uncovered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from generator.build.design import Catalogue
from generator.build.draft import Draft
from generator.build.stages.rules import describe_people
from generator.build.writing.designs import describe_own_conventions
from generator.build.writing.prompts import prompt
from generator.build.writing.rules import describe_prose
from generator.scenarios.group import FORMS, LEAST_PER_FORM, MOST_FORMS, Group, group_tools, with_forms
from generator.scenarios.scenario import ScenarioDesign
from generator.tasks.plan import RULED
from runtime.domain.dates import weekday
from runtime.task.user import Form


def story_page(draft: Draft) -> str:
    """The part of a prompt that explains scenarios: what a story offers, and, where somebody calls, to them."""
    catalogue = draft.catalogue
    page = prompt(
        "scenarios",
        title=catalogue.title,
        summary=catalogue.summary,
        clock=catalogue.clock,
        weekday=weekday(catalogue.clock),
        example=prompt("scenarios_example" if draft.people is None else "scenarios_example_mine"),
        conventions=describe_own_conventions(catalogue),
    )
    if draft.people is None:
        return page
    rules = draft.rules
    return page + prompt(
        "story",
        people=describe_people(draft.people),
        rules=describe_prose(rules, rules.codes) if rules and rules.codes else "None.",
    )


def describe_forms(forms: Sequence[Form]) -> str:
    """What forms ask for; empty without any."""
    return "\n".join(prompt(f"form_{form}") for form in forms)


def tools_to_cover(draft: Draft) -> Catalogue:
    """The tools that scenarios must call by name: not those by which callers are found."""
    people = draft.people
    if people is None:
        return draft.catalogue
    return draft.catalogue.without({*people.found_by.values()})


def groups_of(draft: Draft) -> list[Group]:
    """The groups of scenarios that are asked for: to cover the tools, with every form that is possible in one of them.

    Forms in which a rule decides go to the tools that rules guard most.
    """
    groups = group_tools(tools_to_cover(draft))
    if draft.people is None:
        return groups
    rules = draft.rules.rules if draft.rules is not None else []
    guarded = Counter(tool for rule in rules for tool in rule.on)
    groups.sort(key=lambda group: -sum(guarded[tool.name] for tool in group.tools))
    forms = sorted((form for form in FORMS if rules or form not in RULED), key=lambda form: form not in RULED)
    return with_forms(groups, forms)


def missing_forms(groups: Sequence[Group], scenarios: Sequence[ScenarioDesign]) -> list[Form]:
    """The forms that were asked for, and of which there are too few scenarios."""
    counts = Counter(each.form for each in scenarios)
    return [form for group in groups for form in group.forms if counts[form] < LEAST_PER_FORM]


def elsewhere(groups: list[Group], forms: Sequence[Form]) -> list[Group]:
    """A group in which forms that came to nothing with some tools are asked for with others; none without others."""
    first = next((at for at, group in enumerate(groups) if set(group.forms) & set(forms)), 0)
    others = next(
        (group.tools for group in groups[first + 1 :] + groups[:first] if group.tools != groups[first].tools), ()
    )
    chosen = tuple(forms[:MOST_FORMS])
    return (
        [Group("missing-forms", others, outside=False, wanted=0, forms=chosen, is_free=True)]
        if chosen and others
        else []
    )


def uncovered_forms(
    groups: Sequence[Group], scenarios: Sequence[ScenarioDesign], left_out: Mapping[Form, str]
) -> Iterator[str]:
    """A sentence for each form of which there are too few scenarios."""
    counts = Counter(each.form for each in scenarios)
    for form in missing_forms(groups, scenarios):
        yield f"{counts[form]} scenarios of the form {form}: {left_out.get(form, 'the others did not pass')}"
