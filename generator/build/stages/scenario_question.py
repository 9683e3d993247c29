"""What a request for scenarios shows: forms, tables, rows and tools; a repair, no more of them than it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from generator.build.design import ToolDesign, schema_of
from generator.build.draft import Draft
from generator.build.stages.forms import describe_forms, story_page, tools_to_cover
from generator.build.writing.designs import describe_fields, describe_wants, sentence
from generator.build.writing.prompts import prompt
from generator.scenarios.group import PER_FORM, Group, describe_edges, helping_tools
from generator.scenarios.scenario import ScenarioDesign, Scenarios, called_tools
from runtime.graph import Graph
from runtime.model.model import Request
from runtime.task.user import Form

_RULE = re.compile(r"\s*(?:CHECK|CREATE UNIQUE INDEX)\b")
_QUOTED = re.compile(r"'[^']*'")
_LAST_COMMA = re.compile(r",( --[^\n]*)?\n\)")
_UNSAID = re.compile(r" CHECK \(\w+ <> ''\)| ON DELETE RESTRICT| STRICT(?:, WITHOUT ROWID)?(?=;)")
_NAMED = re.compile(r"scenario '(\w+)'")


@dataclass(frozen=True)
class ScenarioQuestion:
    """The question for the scenarios of one group, with a line for the rows of each table."""

    draft: Draft
    graph: Graph
    rows: Mapping[str, str]
    group: Group

    @property
    def request(self) -> Request:
        """The request as it is sent at first."""
        helpers = helping_tools(self.group, tools_to_cover(self.draft), self.graph)
        return Request(
            role="scenarios",
            stage="scenarios",
            key=self.group.key,
            attempt=1,
            prefix=story_page(self.draft),
            prompt=self._prompt(self.group.forms, self.group.tools, helpers, wanted=_describe_wanted(self.group)),
            schema=schema_of(Scenarios),
            repair="Give only the scenarios that change or are new; names in `drop` are taken away.",
            max_tokens=16_000,
        )

    def again(self, own: Scenarios, complaints: Sequence[str]) -> str:
        """The prompt of a repair: the forms, tools and tables of the scenarios that are complained of.

        All of them, where a complaint is not of a scenario.
        """
        named = [_NAMED.match(each) for each in complaints]
        if not all(named):
            return self.request.prompt
        names = {found[1] for found in named if found}
        concerned = [each for each in own.scenarios if each.name in names]
        helpers = helping_tools(self.group, tools_to_cover(self.draft), self.graph)
        called = {tool for each in concerned for tool in called_tools(each)}
        known = [*self.group.tools, *helpers]
        shown = [tool for tool in known if tool.name in called]
        others = [tool for tool in known if tool.name not in called]
        forms = [form for form in self.group.forms if any(each.form == form for each in concerned)]
        return self._prompt(forms, shown, others, tables=self._tables_named(concerned))

    def _prompt(
        self,
        forms: Sequence[Form],
        shown: Sequence[ToolDesign],
        in_short: Sequence[ToolDesign],
        *,
        tables: Iterable[str] = (),
        wanted: str = "",
    ) -> str:
        """The prompt about forms, tools that are shown whole and others in a line each, and further tables."""
        draft = self.draft
        known = [*shown, *in_short]
        needed = draft.with_parents({*draft.tables_needed(known if wanted else shown), *tables})
        return prompt(
            "scenarios_group",
            forms=describe_forms(forms),
            schema=_short_sql(draft.sql_of_tables(needed)),
            rows="\n".join(said for table, said in self.rows.items() if table in needed),
            designs=describe_wants(shown) or "- none",
            helpers="\n".join(map(_describe_helper, in_short)) or "- none",
            records=describe_fields(draft.catalogue.records_of(known if wanted else list(shown))),
            edges=describe_edges(replace(self.group, tools=tuple(shown)), in_short, self.graph),
            wanted=wanted,
        )

    def _tables_named(self, scenarios: Sequence[ScenarioDesign]) -> set[str]:
        words = {word for each in scenarios for word in re.findall(r"\w+", each.body)}
        return words & self.draft.schema.tables.keys()


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


def _short_sql(schema: str) -> str:
    """The tables as whoever picks rows needs them: without rules over several columns, and without alignment."""
    text = _UNSAID.sub("", "\n".join(_without_rules(schema.splitlines())))
    return _LAST_COMMA.sub(r"\1\n)", re.sub(r"(?<=\S) {2,}", " ", text)).strip()


def _without_rules(lines: Sequence[str]) -> Iterator[str]:
    """The lines without rules of whole rows, which may go over several, and without unique indexes."""
    depth = 0
    for line in lines:
        if depth or _RULE.match(line):
            code = _QUOTED.sub("", line).partition("--")[0]
            depth += code.count("(") - code.count(")")
        else:
            yield line


def _describe_helper(tool: ToolDesign) -> str:
    given = ", ".join(
        each.name if each.required else f"[{each.name}]" if each.default is None else f"[{each.name} = {each.default}]"
        for each in tool.parameters
    )
    said = " ".join(map(sentence, [tool.description, *tool.effects]))
    return f"- {tool.name}({given}) returns {tool.returns}: {said}"
