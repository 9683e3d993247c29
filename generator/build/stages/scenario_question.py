"""What scenarios are asked for: groups of tools with their forms, the request for one group, what stays uncovered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from generator.build.ask import Question
from generator.build.design import Catalogue, ToolDesign
from generator.build.draft import Draft
from generator.build.stages.rules import describe_people
from generator.build.writing.designs import describe_fields, describe_own_conventions, describe_wants, sentence
from generator.build.writing.prompts import prompt
from generator.build.writing.rules import describe_prose
from generator.scenarios.group import (
    FORMS,
    LEAST_PER_FORM,
    MOST_FORMS,
    PER_FORM,
    Group,
    describe_edges,
    group_tools,
    helping_tools,
    with_forms,
)
from generator.scenarios.scenario import ScenarioDesign
from generator.tasks.plan import RULED
from runtime.domain.dates import weekday
from runtime.graph import Graph
from runtime.task.user import Form


def question_for(draft: Draft, graph: Graph, rows: Mapping[str, str], group: Group) -> Question:
    """The request for the scenarios of one group, with a line for the rows of each table."""
    helpers = helping_tools(group, tools_to_cover(draft), graph)
    known = [*group.tools, *helpers]
    needed = draft.tables_needed(known)
    return Question(
        stage="scenarios",
        key=group.key,
        prefix=story_page(draft),
        prompt=prompt(
            "scenarios_group",
            forms="\n".join(prompt(f"form_{form}") for form in group.forms),
            schema=draft.sql_of_tables(needed),
            rows="\n".join(said for table, said in rows.items() if table in needed),
            designs=describe_wants(group.tools) or "- none",
            helpers="\n".join(map(_describe_helper, helpers)) or "- none",
            records=describe_fields(draft.catalogue.records_of(known)),
            edges=describe_edges(group, helpers, graph),
            wanted=_describe_wanted(group),
        ),
        repair="Give only the scenarios that change or are new; names in `drop` are taken away.",
        max_tokens=16_000,
    )


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
    return page + prompt(
        "story",
        people=describe_people(draft.people),
        rules=describe_prose(draft.rules, draft.rules.codes) or "None.",
    )


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
    rules = draft.rules.rules
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


def _describe_wanted(group: Group) -> str:
    """How many scenarios are asked for, and what they must cover."""
    parts = []
    if group.count:
        parts.append(
            prompt(
                "scenarios_wanted",
                count=f"{group.count} scenarios" + (" of the form `direct`" if group.forms else ""),
                writing=_what_to_write(group),
                outside="One of them ends in a wish beyond the tools." if group.outside else _NONE_BEYOND,
            )
        )
    if group.forms:
        parts.append(
            prompt(
                "scenarios_wanted_forms",
                count=PER_FORM,
                forms=", ".join(f"`{form}`" for form in group.forms),
                cover="" if group.is_free else "They cover tools, too. ",
            )
        )
    return "\n".join(parts)


_NONE_BEYOND = "None has a wish beyond them."


def _what_to_write(group: Group) -> str:
    """What must be called, or how scenarios without a writing tool look."""
    if group.is_free:
        return "Each calls one of the tools to cover at least; whatever other tool it needs may be called."
    writing = [tool.name for tool in group.tools if tool.writes]
    if writing:
        caller = "a scenario" if group.forms else "one of them"
        return f"Every writing tool to cover ({', '.join(writing)}) is called by {caller}."
    return (
        "None of these tools writes, so each scenario asks for answers that two to four calls lead to: one finds what "
        "the next one needs. At least one answer of each cannot be guessed: a name, a date, an amount, a rate."
    )


def _describe_helper(tool: ToolDesign) -> str:
    given = ", ".join(
        each.name if each.required else f"[{each.name}]" if each.default is None else f"[{each.name} = {each.default}]"
        for each in tool.parameters
    )
    said = " ".join(map(sentence, [tool.description, *tool.effects]))
    return f"- {tool.name}({given}) returns {tool.returns}: {said}"
