"""From a keyword to a domain folder: the stages in their order, and the files that are left at the end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from generator.author.ask import Asker, side_by_side
from generator.author.design import BuildOrder
from generator.author.draft import Draft
from generator.author.finish import figures_of, finish
from generator.author.locale import describe_place
from generator.author.stage import ROLES, Stage, figures_by_stage, stages_of, tokens_of
from generator.author.stages.cases import write_cases
from generator.author.stages.code import with_tables, write_code
from generator.author.stages.database import design_database, design_people
from generator.author.stages.past import settle_past
from generator.author.stages.rule_cases import drop_unasked_rules, try_rules_by_cases, without_rules
from generator.author.stages.rules import write_rules
from generator.author.stages.scenarios import write_scenarios
from generator.author.stages.tools import design_tools, screen
from generator.author.stages.trial import sharpen, try_cases_and_calls
from generator.author.stages.world import write_world
from generator.graph.find import search_graph, with_chain_flows
from runtime.errors import StageFailed
from runtime.graph import Graph
from runtime.model.book import AnswerBook

VERSION = "1.0.0"  # of the domains that are made
_MOST_ROUNDS = 2  # of dropping rules that tasks do not exercise
FEWEST = 0.5  # of the tools asked for must be left at the end


async def find_dependencies(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with its dependencies found by execution; nobody is asked."""

    def search() -> Graph:
        with draft.laid_out() as folder:
            return search_graph(folder)

    return replace(draft, graph=await asyncio.to_thread(search))


async def _write_scenarios(asker: Asker, draft: Draft) -> Draft:
    return await follow_chains(drop_unasked_rules(asker, await write_scenarios(asker, draft, draft.graph)))


async def follow_chains(draft: Draft) -> Draft:
    """Return the draft with the data flows of its scenarios in its graph, too."""

    def follow() -> Graph:
        with draft.laid_out() as folder:
            return with_chain_flows(folder, draft.graph)

    return replace(draft, graph=await asyncio.to_thread(follow))


_RUN: Mapping[str, Callable[[Asker, Draft], Awaitable[Draft]]] = {
    "screen": screen,
    "tools": design_tools,
    "database": design_database,
    "people": design_people,
    "world": write_world,
    "code": write_code,
    "cases": write_cases,
    "trial": try_cases_and_calls,
    "sharpen": sharpen,
    "rules": write_rules,
    "rule_cases": try_rules_by_cases,
    "past": settle_past,
    "graph": find_dependencies,
    "scenarios": _write_scenarios,
}


async def build(order: BuildOrder, asker: Asker, book: AnswerBook, out: Path) -> Draft:
    """Build a domain into a folder that holds its answers; errors: StageFailed, ModelFailed, UsageError."""
    draft = Draft(order.name, order=order)
    asker.place = describe_place(order.locale)
    groups = list(stages_of(order.parts))
    count = sum(map(len, groups))
    for number, group in enumerate(groups):
        before = draft
        asker.watcher.began(group, sum(map(len, groups[:number])), count)
        if group[0].name != "tasks":
            draft = await _advance(asker, draft, group)
        for tool in draft.dropped.keys() - before.dropped.keys():
            asker.watcher.said(f"dropped tool {tool}: {draft.dropped[tool]}")
        if len(draft.catalogue.tools) < FEWEST * order.count and draft.dropped != before.dropped:
            left = len(draft.catalogue.tools)
            raise StageFailed(f"Only {left} of {order.count} tools are left; the domain is not kept.")
    rounds = 0
    while idle := await asyncio.to_thread(_finish, order, asker, draft, book, out, is_last=rounds == _MOST_ROUNDS):
        rounds += 1
        draft = without_rules(asker, draft, dict.fromkeys(idle, "no proven task is denied by it, or none is allowed"))
        draft = await follow_chains(await find_dependencies(asker, draft))
    return draft


async def _advance(asker: Asker, draft: Draft, group: Sequence[Stage]) -> Draft:
    """Run one stage, or some side by side that see nothing of each other, and keep what each of them changed."""
    if len(group) == 1:
        return await _RUN[group[0].name](asker, draft)
    changes: dict[str, Any] = {}
    dropped: dict[str, str] = {}
    for after in await side_by_side([_RUN[stage.name](asker, draft) for stage in group]):
        own = {field.name: getattr(after, field.name) for field in fields(Draft)}
        changes |= {name: value for name, value in own.items() if value is not getattr(draft, name)}
        dropped |= after.dropped
    new = {tool: reason for tool, reason in dropped.items() if tool not in draft.dropped}
    return with_tables(replace(draft, **changes).dropping(new))


def _finish(order: BuildOrder, asker: Asker, draft: Draft, book: AnswerBook, out: Path, *, is_last: bool) -> list[str]:
    """Finish the folder; or return the rules that its tasks never deny, or never allow, and which are to go."""
    finished = finish(
        draft,
        out,
        provenance_of(draft, book),
        _figures_of(draft, book),
        asker.watcher.said,
        version=VERSION,
        tasks=order.tasks,
        is_designed=True,
        is_last=is_last,
    )
    return finished.idle_rules


def provenance_of(draft: Draft, book: AnswerBook) -> dict[str, Any]:
    """Return where a domain comes from: models, tokens, repairs, and what was lost."""
    forms = Counter(each.form for each in draft.scenarios) if draft.people is not None else Counter()
    blames = [blame for entry in book if entry.stage == "debug" for blame in entry.answer.content.get("blames", [])]
    return {
        **{name: value for name, value in book.header.items() if name != "format"},
        **({"twin_of": draft.order.kept.origin, "known": ["calendar", "history"]} if draft.order.kept else {}),
        "screening": draft.screening,
        "models": {
            role: sorted({entry.answer.model for entry in book if entry.role == role})
            for role in ROLES
            if any(entry.role == role for entry in book)
        },
        "answers": len(book),
        "repairs": {each.stage: each.repairs for each in figures_by_stage(book)},
        "blamed": {wrong: sum(blame.get("wrong") == wrong for blame in blames) for wrong in ("tool", "case")},
        "dropped": dict(draft.dropped),
        **({"dropped_rules": dict(draft.lost_rules)} if draft.lost_rules else {}),
        **({"scenarios": len(draft.scenarios)} if draft.scenarios else {}),
        **({"forms": dict(sorted(forms.items())), "left_out": dict(draft.left_out_forms)} if forms else {}),
        **({"dropped_scenarios": dict(draft.lost_scenarios)} if draft.lost_scenarios else {}),
        **({"gate": [ruling.as_json for ruling in draft.rulings]} if draft.rulings else {}),
        "tokens": tokens_of(book),
    }


def _figures_of(draft: Draft, book: AnswerBook) -> list[str]:
    usage = book.usage()
    return [
        *figures_of(draft),
        *(f"gate on further scenarios: {ruling.as_sentence}" for ruling in draft.rulings),
        f"made with {usage.prompt + usage.completion:,} tokens ({'estimated' if usage.estimated else 'counted'})",
    ]
