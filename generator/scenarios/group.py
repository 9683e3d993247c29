"""Which tools are covered in one request, what its scenarios must cover, and what the graph says of these tools."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import get_args

from generator.build.design import Catalogue, ToolDesign
from generator.scenarios.scenario import Scenarios, asks_for_an_answer, called_tools, has_outside_wish
from runtime.graph import Graph
from runtime.task.user import Form

MOST_TOOLS = 12  # of one request
SHARE_OF_TOOLS = 0.8  # that scenarios call
TOOLS_PER_SCENARIO = 2
FEWEST, MOST = 3, 6  # scenarios of one request
FORMS: tuple[Form, ...] = tuple(form for form in get_args(Form) if form != "direct")
"""The forms that scenarios are asked for by name; the direct ones cover the tools."""
PER_FORM, LEAST_PER_FORM = 3, 2  # scenarios that are asked for, and that must be there
MOST_FORMS = 4  # of one request
_TOOLS_PER_DIRECT = 4  # where forms cover tools, too
_LEAST_WRITING = 3  # tools of a group that is asked for forms
_MOST_FLOWS = 2  # edges of a kind that are shown for one tool
_MOST_HELPERS = 4  # reading tools of other groups that are shown
_POSITION = re.compile(r"\.\d+(?=\.|$)")


@dataclass(frozen=True)
class Group:
    """Tools that one request is about; `outside` says whether one of its scenarios has a wish beyond the tools."""

    key: str
    tools: tuple[ToolDesign, ...]
    outside: bool
    wanted: int | None = None  # direct scenarios, where it is not the number of tools that says so
    forms: tuple[Form, ...] = ()  # of which there must be scenarios, too
    is_free: bool = False  # whether the tools are where to begin, and not all of them must be called

    @property
    def count(self) -> int:
        """How many direct scenarios are asked for."""
        if self.wanted is not None:
            return self.wanted
        if self.forms:
            return ceil(len(self.tools) / _TOOLS_PER_DIRECT)
        return max(FEWEST, min(MOST, ceil(len(self.tools) / TOOLS_PER_SCENARIO)))

    def lacks(self, own: Scenarios) -> list[str]:
        """What the scenarios of this group do not cover, one sentence each."""
        return [*self._uncovered(own), *(self._too_few(form, own) for form in self.short_of(own))]

    def short_of(self, own: Scenarios) -> list[Form]:
        """The forms of which there are too few scenarios, and no reason why."""
        counts = Counter(each.form for each in own.scenarios)
        return [form for form in self.forms if counts[form] < LEAST_PER_FORM and not own.left_out.get(form, "").strip()]

    def _uncovered(self, own: Scenarios) -> list[str]:
        """What is not covered beside the forms, one sentence each."""
        called = {tool for each in own.scenarios for tool in called_tools(each)}
        direct = [each for each in own.scenarios if each.form == "direct"]
        if self.is_free:
            names = [tool.name for tool in self.tools]
            strange = [each.name for each in direct if not called_tools(each) & set(names)]
            return [f"scenario {name!r} calls none of {', '.join(names)}" for name in strange]
        left_out = [tool for tool in self.tools if tool.name not in called]
        lacking = [f"no scenario calls the writing tool {tool.name!r}" for tool in left_out if tool.writes]
        uncalled = [tool.name for tool in left_out if not tool.writes]
        most = len(self.tools) - ceil(SHARE_OF_TOOLS * len(self.tools))
        if len(left_out) > most and uncalled:
            lacking.append(f"too few tools are called; at most {most} may be left out, so call {', '.join(uncalled)}")
        if self.outside and not any(has_outside_wish(each) for each in direct):
            lacking.append("no scenario has a wish beyond the tools; add story.outside to one")
        if not self.outside and any(has_outside_wish(each) for each in direct):
            lacking.append(
                "a scenario has a wish beyond the tools, which is not asked for here; take story.outside away"
            )
        if not any(asks_for_an_answer(each) for each in own.scenarios) and any(not tool.writes for tool in self.tools):
            lacking.append("no scenario asks for something that must be looked up; add story.answer to one")
        return lacking

    def _too_few(self, form: Form, own: Scenarios) -> str:
        count = sum(each.form == form for each in own.scenarios)
        return (
            f"there are {count} scenarios whose `form` is {form}; write {PER_FORM}, or say in left_out, under {form}, "
            "why these tools allow none or only one"
        )


def with_forms(covering: Sequence[Group], forms: Sequence[Form]) -> list[Group]:
    """These groups with the forms dealt among those that have writing tools; what is over gets groups beside them.

    The first forms go to the first of these.
    """
    able = [each for each in covering if sum(tool.writes != [] for tool in each.tools) >= _LEAST_WRITING]
    able = able or list(covering)
    count = max(len(able), ceil(len(forms) / MOST_FORMS))
    dealt = [tuple(forms[len(forms) * at // count : len(forms) * (at + 1) // count]) for at in range(count)]
    given = {each.key: own for each, own in zip(able, dealt, strict=False)}
    beside = [
        Group(f"forms-{number}", able[at % len(able)].tools, outside=False, wanted=0, forms=own, is_free=True)
        for number, (at, own) in enumerate(list(enumerate(dealt))[len(able) :], start=1)
    ]
    return [*(replace(each, outside=False, forms=given.get(each.key, ())) for each in covering), *beside]


def group_tools(catalogue: Catalogue) -> list[Group]:
    """The tools in the order of their topics, as many topics to a group as fit; every second has an outside wish."""
    groups: list[list[str]] = []
    room = 0
    for topic in catalogue.topics:
        size = len(catalogue.of_topic(topic.name))
        if not groups or size > room:
            groups.append([])
            room = MOST_TOOLS
        groups[-1].append(topic.name)
        room -= size
    return [
        Group("-".join(names), tuple(tool for name in names for tool in catalogue.of_topic(name)), number % 2 == 0)
        for number, names in enumerate(groups)
    ]


def uncovered_tools(catalogue: Catalogue, called: Collection[str]) -> list[ToolDesign]:
    """The tools that further scenarios must call: writing ones, and others while too few are called."""
    missing = [tool for tool in catalogue.tools if tool.name not in called]
    writing = [tool for tool in missing if tool.writes]
    others = [tool for tool in missing if not tool.writes]
    may_be_left = len(catalogue.tools) - ceil(SHARE_OF_TOOLS * len(catalogue.tools))
    wanted = max(0, len(others) - may_be_left)
    return [*writing, *others[:wanted]]


def least_used(catalogue: Catalogue, uses: Mapping[str, int], count: int) -> list[ToolDesign]:
    """The tools that the fewest scenarios call, writing ones first among equals."""
    return sorted(catalogue.tools, key=lambda tool: (uses.get(tool.name, 0), not tool.writes))[:count]


def helping_tools(group: Group, catalogue: Catalogue, graph: Graph) -> list[ToolDesign]:
    """Reading tools of other groups whose results this group's tools take, the most helpful first."""
    own = {tool.name for tool in group.tools}
    helps = Counter(edge.source for edge in graph.edges if edge.kind == "data_flow" and edge.target in own)
    ranked = sorted(helps, key=lambda name: (-helps[name], name))
    tools = {tool.name: tool for tool in catalogue.tools}
    found = [tools[name] for name in ranked if name in tools and name not in own and not tools[name].writes]
    return found[:_MOST_HELPERS]


def describe_edges(group: Group, helpers: Sequence[ToolDesign], graph: Graph) -> str:
    """The strongest edges among these tools: where an argument is had from, what makes a call possible."""
    own = {tool.name for tool in group.tools}
    known = own | {tool.name for tool in helpers}
    writing = {tool.name for tool in group.tools if tool.writes}
    edges = [edge for edge in graph.edges if edge.target in own and edge.source in known - {edge.target}]
    said: dict[str, list[str]] = {}
    for edge in sorted(edges, key=lambda edge: edge.source in writing):  # a lookup is the better source of an id
        if edge.kind == "data_flow":
            place = _POSITION.sub("[]", edge.evidence.result or "")
            said.setdefault(f"{edge.evidence.parameter} of {edge.target}: from ", []).append(f"{edge.source} ({place})")
        elif edge.kind == "precondition":
            said.setdefault(f"{edge.target}: made possible by ", []).append(edge.source)
    return "\n".join(f"- {what}{', '.join(sources[:_MOST_FLOWS])}" for what, sources in said.items()) or "- none"
