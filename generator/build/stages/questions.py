"""What the questions about the tools of a topic have in common."""

from __future__ import annotations

from collections.abc import Sequence

from generator.build.design import ToolDesign
from generator.build.draft import Draft
from generator.build.writing.designs import describe_conventions, describe_records, describe_tools
from generator.build.writing.prompts import prompt
from runtime.domain.dates import weekday


def frame(draft: Draft, name: str, **more: str) -> str:
    """The part of a prompt that all topics share: what is wanted, the clock and the conventions."""
    return prompt(
        name,
        title=draft.catalogue.title,
        clock=draft.catalogue.clock,
        weekday=weekday(draft.catalogue.clock),
        conventions=describe_conventions(draft.catalogue),
        **more,
    )


def about_topic(draft: Draft, name: str, topic: str, tools: Sequence[ToolDesign] | None = None) -> str:
    """The part of a prompt that one topic fills: the tables, records and designs of its tools, or of some of them."""
    tools = draft.catalogue.of_topic(topic) if tools is None else list(tools)
    return prompt(
        name,
        topic=topic,
        about=next(each.description for each in draft.catalogue.topics if each.name == topic),
        schema=draft.sql_of(tools),
        designs=describe_tools(tools, {tool.name: draft.tables_of(tool.name) for tool in tools}),
        records=describe_records(draft.catalogue.records_of(tools)),
    )
