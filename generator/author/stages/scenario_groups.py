"""Which scenarios are asked for in one request: the tools they are about, their forms and rules, and what they lack.

All requests begin with one page: what a story offers, how customers write, the rules, the tables, the tools.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import get_args

from generator.author.ask import Question
from generator.author.design import Catalogue, ToolDesign
from generator.author.draft import Draft
from generator.author.stages.rules import describe_people
from generator.author.writing.code import sentence
from generator.author.writing.designs import describe_fields, describe_own_conventions, describe_wants, prompt
from generator.author.writing.rules import describe_prose
from generator.scenarios.scenario import ScenarioDesign, Scenarios, called_tools, has_outside_wish
from generator.tasks.plan import RULED
from runtime.domain.arguments import weekday
from runtime.task.user import TIMED_FORMS, Form
from runtime.wording import counted

MOST_TOOLS = 12  # that one request is about
MOST_SCENARIOS = 14  # of one request
SHARE_OF_TOOLS = 0.8  # that scenarios call
SETS: Form = "each"  # the form that is asked for at the end, and by itself
_ASKED: tuple[Form, ...] = tuple(form for form in get_args(Form) if form not in ("direct", *TIMED_FORMS))
FORMS: tuple[Form, ...] = tuple(form for form in _ASKED if form != SETS)
LEAST_PER_FORM = 2  # scenarios
_OF_OWN_ROWS = ("ambiguous", "all_but")  # forms that need several rows of the caller's
SCENARIOS_OF_SETS = 3
_COUPLED = 4  # scenarios, since every task of the hardest level begins with one
_LEAST_RULED = 4  # scenarios in which a rule decides
_TOOLS_PER_DIRECT = 4
_TOOLS_PER_SCENARIO, _FEWEST, _MOST = 2, 3, 6  # direct scenarios, in a domain without callers

RuledForm = tuple[str, Form]  # a rule's code, and the form of the scenario in which it decides
Unit = Form | RuledForm  # what is asked for by name


@dataclass(frozen=True)
class Group:
    """One request: how many scenarios of which form about which tools, and which rules decide in some of them."""

    key: str
    tools: tuple[ToolDesign, ...]
    topic: str = ""  # or topics, as `FormDealer.topics` names them
    direct: int = 0
    forms: Mapping[Form, int] = field(default_factory=dict)
    rules: tuple[RuledForm, ...] = ()
    covers: bool = False  # whether every writing tool must be called
    outside: bool = False  # whether a direct scenario ends in a wish beyond the tools

    @property
    def count(self) -> int:
        """How many scenarios are asked for."""
        return self.direct + sum(self.forms.values()) + len(self.rules)

    @property
    def all_forms(self) -> list[Form]:
        """The forms that are asked for, direct aside."""
        return [form for form in _ASKED if form in self.forms or any(form == ruled for _, ruled in self.rules)]

    def lacks(self, own: Scenarios) -> list[str]:
        """Return what the scenarios do not cover, one sentence each."""
        counts, codes = Counter(each.form for each in own.scenarios), {each.rule for each in own.scenarios}
        lacking = [
            f"{counts[form]} of {wanted} scenarios have the form {form}; write the others, or say in left_out, under "
            f"{form}, why these tools do not allow them"
            for form, wanted in self.forms.items()
            if counts[form] < min(wanted, LEAST_PER_FORM) and not own.left_out.get(form, "").strip()
        ]
        lacking += [
            f"no scenario has the rule {code}; write one of the form {form} in which it decides, or say in left_out, "
            f"under {code}, why no customer of these tools meets it"
            for code, form in self.rules
            if code not in codes and not own.left_out.get(code, "").strip()
        ]
        called = {tool for each in own.scenarios for tool in called_tools(each)}
        uncalled = [tool.name for tool in self.tools if tool.writes and tool.name not in {*called, *own.left_out}]
        if self.covers and uncalled:
            lacking.append(
                f"no scenario calls {', '.join(uncalled)}; let a direct one call it, too, or say in left_out, under "
                "its name, why no customer may ask for that"
            )
        if self.outside and not any(map(has_outside_wish, own.scenarios)):
            lacking.append("no scenario ends in a wish beyond the tools; add story.outside to one")
        return lacking


class FormDealer:
    """Deals forms and rules to the topics of a draft whose tools allow them, and says what scenarios lack."""

    def __init__(self, draft: Draft) -> None:
        self._draft, people = draft, draft.people
        finding = {*people.found_by.values()} if people else set()
        self.tools = draft.catalogue.without(finding).tools  # callers are found in every scenario
        self.topics = _by_topic(draft.catalogue.without(finding))
        reading = [tool.name for tool in draft.catalogue.tools if not tool.writes]
        self._owned = (
            {*people.owns} & {table for tool in reading for table in draft.tables_of(tool).reads} if people else set()
        )
        self._rules = draft.rules.rules if people else []

    def groups(self) -> list[Group]:
        """Return the requests to begin with, the most demanding forms and rules dealt first."""
        if self._draft.people is None:
            return [
                Group(
                    key,
                    tools,
                    direct=max(_FEWEST, min(_MOST, ceil(len(tools) / _TOOLS_PER_SCENARIO))),
                    covers=True,
                    outside=number % 2 == 0,
                )
                for number, (key, tools) in enumerate(self.topics.items())
            ]
        wanted: list[Unit] = [*self._rules_to_ask()]
        for form in FORMS:
            if form not in RULED:
                wanted += [form] * (_COUPLED if form == "coupled" else LEAST_PER_FORM)
        dealt: dict[str, list[Unit]] = {key: [] for key in self.topics}
        able = {unit: self.allowing(unit) for unit in wanted}
        for unit in sorted(wanted, key=lambda unit: len(able[unit])):
            if able[unit]:
                dealt[min(able[unit], key=lambda key: len(dealt[key]))].append(unit)
        return [group for key, units in dealt.items() for group in _requests(key, self.topics[key], units)]

    def sets(self) -> Group | None:
        """Return the request for sets of rows of which each is decided by itself; None without a rule."""
        guarded = {tool: None for rule in self._rules for tool in rule.on}
        tools = tuple(tool for tool in self.tools if tool.name in guarded)[:MOST_TOOLS]
        return Group("sets", tools, forms={SETS: SCENARIOS_OF_SETS}) if tools else None

    def allowing(self, unit: Unit) -> list[str]:
        """Return the topics with a tool that a rule guards, or that writes (for some forms to rows callers own)."""
        if not isinstance(unit, str):
            guarded = {tool for rule in self._rules if rule.code == unit[0] for tool in rule.on}
            return [key for key, tools in self.topics.items() if guarded & {tool.name for tool in tools}]

        def allows(tools: Sequence[ToolDesign]) -> bool:
            writing = [tool.name for tool in tools if tool.writes]
            if unit in _OF_OWN_ROWS:
                return any(self._owned.intersection(self._draft.tables_of(tool).writes) for tool in writing)
            return unit == "computed" or len(writing) > (unit == "coupled")

        return [key for key, tools in self.topics.items() if allows(tools)]

    def lacking(self, scenarios: Sequence[ScenarioDesign]) -> list[Unit]:
        """Return the rules that decide in no scenario, and the forms that too few have."""
        if self._draft.people is None:
            return []
        counts, codes = Counter(each.form for each in scenarios), {each.rule for each in scenarios}
        units: list[Unit] = [(rule.code, "denied") for rule in self._rules if rule.code not in codes]
        for form in FORMS:
            if counts[form] < LEAST_PER_FORM and (form not in RULED or self._rules):
                units.append((self._rules[0].code, form) if form in RULED else form)
        return units

    def uncovered(self, called: Collection[str]) -> list[ToolDesign]:
        """Return the tools that further scenarios must call: writing ones, and others while too few are called."""
        missing = [tool for tool in self.tools if tool.name not in called]
        writing = [tool for tool in missing if tool.writes]
        others = [tool for tool in missing if not tool.writes]
        may_be_left = len(self.tools) - ceil(SHARE_OF_TOOLS * len(self.tools))
        return [*writing, *others[: max(0, len(others) - may_be_left)]]

    def _rules_to_ask(self) -> list[RuledForm]:
        """Return every rule once, and again if there are few; most may deny, a third leads to a second choice."""
        codes = [rule.code for rule in self._rules]
        count = max(len(codes), _LEAST_RULED) if codes else 0
        every = 3 if count >= 3 * LEAST_PER_FORM else 2
        turns = [(at % len(codes), at + at // len(codes)) for at in range(count)]  # once more in another form
        return [(codes[place], "fallback" if turn % every == every - 1 else "denied") for place, turn in turns]


def name_of(unit: Unit) -> str:
    """Return the code of a rule, or the form."""
    return unit if isinstance(unit, str) else unit[0]


@dataclass(frozen=True)
class Page:
    """What requests for scenarios begin with; `rows` has a line or two for each table."""

    draft: Draft
    rows: Mapping[str, str]

    def whole(self) -> str:
        """Return the office with all its tables, tools and rules."""
        draft = self.draft
        return self._of(draft.schema.tables, draft.catalogue.tools, draft.rules.codes, shows_how=True)

    def about(self, text: str, tools: Sequence[ToolDesign] = (), *, shows_how: bool = False) -> str:
        """Describe the part that some programs and complaints need: what they name, what shows it, some tools."""
        catalogue, words = self.draft.catalogue, {*re.findall(r"\w+", text)}
        named = {tool.name for tool in catalogue.tools if tool.name in words or tool in tools}
        tables = self.draft.tables_in(text) | self.draft.tables_needed(tools)
        showing = {tool.name for tool in catalogue.tools if not tool.writes and tables & {*tool.reads}}
        rules = [rule.code for rule in self.draft.rules.rules if rule.code in words or rule.on.keys() & named]
        rules += [duty.code for duty in self.draft.rules.duties if tables & {*duty.reads}]
        chosen = [tool for tool in catalogue.tools if tool.name in named | showing]
        return self._of(self.draft.with_parents(tables), chosen, rules, shows_how=shows_how)

    def _of(
        self, tables: Collection[str], tools: Sequence[ToolDesign], rules: Collection[str], *, shows_how: bool
    ) -> str:
        catalogue, people = self.draft.catalogue, self.draft.people
        kind = "" if people is None else "_callers"
        return prompt(
            "scenarios",
            title=catalogue.title,
            summary=catalogue.summary,
            clock=catalogue.clock,
            weekday=weekday(catalogue.clock),
            example=prompt(f"scenarios_example{kind}") if shows_how or people is None else "",
            customers=prompt("scenarios_customers") if shows_how else "",
            conventions=describe_own_conventions(catalogue),
            callers=""
            if people is None
            else prompt(
                "scenarios_callers",
                people=describe_people(people),
                rules=describe_prose(self.draft.rules, rules, self.draft.order.locale) or "None.",
            ),
            schema=self.draft.sql_of_tables(tables),
            rows="\n".join(held for table, held in self.rows.items() if table in tables),
            tools="\n".join(map(_signature, tools)),
            records=describe_fields(catalogue.records_of(tools)),
        )


def question_for(
    page: Page,
    group: Group,
    broken: Mapping[str, tuple[ScenarioDesign, str]] | None = None,
    conditions: Mapping[str, str] | None = None,
) -> Question:
    """Return the request for the scenarios of one group, and for those that did not pass, each with its fault.

    `conditions` are those that earlier scenarios share.
    """
    bodies = " ".join(each.body for each, _ in (broken or {}).values())
    shown = [f"`{name}` is {sql}" for name, sql in (conditions or {}).items() if name in bodies]
    shown += [
        f"`{name}`, form {each.form}{each.rule and f', rule {each.rule}'}: {fault}\n\n"
        f"```python\n{each.body.strip()}\n```"
        for name, (each, fault) in (broken or {}).items()
    ]
    mend = [prompt("scenarios_mend", broken="\n\n".join(shown))] if shown else []

    def about(tools: Sequence[ToolDesign], forms: Sequence[Form], wanted: Sequence[str], *, shows_how: bool) -> str:
        texts = [prompt(f"form_{form}") for form in forms]
        return prompt(
            "scenarios_group",
            designs=describe_wants(tools) or "See above.",
            forms="\n".join(text if shows_how else text.partition("```")[0] for text in texts),
            wanted="\n".join(wanted),
        )

    def narrowed(own: Scenarios, complaints: Sequence[str]) -> str:
        said = "\n".join(complaints)
        names = [*(each.name for each in own.scenarios), *(tool.name for tool in group.tools)]
        is_open = any(not any(name in each for name in names) for each in complaints)  # a form or rule is missing
        faulty = [each for each in own.scenarios if each.name in said]
        text = "\n".join([said, *(each.body for each in faulty)])
        text += "\n".join(sql for name, sql in own.conditions.items() if name in text)
        wanted = [tool for tool in group.tools if is_open or tool.name in said]
        named = [tool for tool in page.draft.catalogue.tools if tool in wanted or (tool.writes and tool.name in text)]
        forms = [form for form in _ASKED if form in said or any(form == each.form for each in faulty)]
        end = about(named, forms, ["What the complaints below ask for, and nothing else."], shows_how=is_open)
        return page.about(text, wanted, shows_how=is_open) + end

    return Question(
        stage="scenarios",
        key=group.key,
        prefix=page.whole() if group.tools else page.about("\n".join(shown)),
        prompt=about(group.tools, group.all_forms, [*_wanted(group), *mend], shows_how=True),
        narrow=narrowed,
        repair="Give only the scenarios that a complaint names, corrected, and those that are missing; names in `drop` "
        "are taken away.",
        max_tokens=16_000,
    )


def _wanted(group: Group) -> Iterator[str]:
    """Yield what a group asks for, one line each."""
    if group.direct:
        last = " One of them ends in story.outside." if group.outside else ""
        yield f"- {counted(group.direct, 'scenario')} of the form `direct`: one or two plain requests.{last}"
    for code, form in group.rules:
        yield f"- 1 scenario of the form `{form}` with `rule` {code}: that rule decides"
    for form, count in group.forms.items():
        yield f"- {counted(count, 'scenario')} of the form `{form}`"
    writing = [tool.name for tool in group.tools if tool.writes]
    if group.covers and writing:
        yield f"\nTogether these scenarios call all of {', '.join(writing)}."


def _signature(tool: ToolDesign) -> str:
    given = ", ".join(
        each.name if each.required else f"[{each.name}]" if each.default is None else f"[{each.name} = {each.default}]"
        for each in tool.parameters
    )
    return f"- {tool.name}({given}) returns {tool.returns}: {sentence(tool.description)}"


def _by_topic(catalogue: Catalogue) -> dict[str, tuple[ToolDesign, ...]]:
    groups: list[list[str]] = []
    room = 0
    for topic in catalogue.topics:
        size = len(catalogue.of_topic(topic.name))
        if not groups or size > room:
            groups.append([])
            room = MOST_TOOLS
        groups[-1].append(topic.name)
        room -= size
    found = {"-".join(names): tuple(tool for name in names for tool in catalogue.of_topic(name)) for names in groups}
    return {key: tools for key, tools in found.items() if tools}


def _requests(key: str, tools: tuple[ToolDesign, ...], units: Sequence[Unit]) -> list[Group]:
    """Return what one topic is asked for, in parts of about the same size; the first part covers the tools."""
    direct = ceil(len(tools) / _TOOLS_PER_DIRECT)
    count = ceil((direct + len(units)) / MOST_SCENARIOS)
    size = ceil((direct + len(units)) / count)
    ordered = sorted(units, key=lambda unit: (isinstance(unit, str), unit))  # equal ones together
    parts = [ordered[: max(0, size - direct)]]
    parts += [ordered[at : at + size] for at in range(max(0, size - direct), len(ordered), size)]
    return [
        Group(
            key if not number else f"{key}-{number + 1}",
            tools,
            key,
            direct=0 if number else direct,
            forms=Counter(unit for unit in part if isinstance(unit, str)),
            rules=tuple(unit for unit in part if not isinstance(unit, str)),
            covers=not number,
        )
        for number, part in enumerate(parts)
    ]
