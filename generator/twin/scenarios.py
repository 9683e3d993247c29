"""Decide what people ask of a twin: scenarios by templates, wherever one sounds like something a person would say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.twin.belonging import ChildTemplates
from generator.twin.links import LinkTemplates
from generator.twin.naming import Namer, Offered
from generator.twin.settled import Settled, SettledTable
from generator.twin.source import Operation
from generator.twin.templates import Rows, RowTemplates, Scene, TwinAtHand

_MOST = 80  # scenarios of a twin


class ScenarioBook:
    """The scenarios of a twin; those that turn out faulty are left out of the text by name."""

    def __init__(self, settled: Settled, operations: Sequence[Operation], rows: Rows) -> None:
        """`rows` are those of a world, whose values people mention."""
        offered = Offered(operations)
        self._namer = Namer(settled, offered)
        twin = TwinAtHand(settled, offered, self._namer, rows)
        by_table = [list(_scenes_of(twin, table)) for table in settled.tables.values()]
        longest = max(map(len, by_table), default=0)
        in_turn = [own[rank] for rank in range(longest) for own in by_table if rank < len(own)]
        kept = {id(scene) for scene in in_turn[:_MOST]}
        self._scenes: dict[str, Scene] = {}
        for scene in (scene for own in by_table for scene in own if id(scene) in kept):
            self._scenes.setdefault(scene.name, scene)

    @property
    def names(self) -> list[str]:
        """The names of all scenarios."""
        return list(self._scenes)

    def text(self, without: Sequence[str] = ()) -> str:
        """`scenarios.py` without those of these names; empty if none is left."""
        scenes = [scene for name, scene in self._scenes.items() if name not in without]
        if not scenes:
            return ""
        body = [line for scene in scenes for line in ("", "", *scene.code)]
        used = list(body)
        helpers: list[list[str]] = []
        for name, lines in reversed(self._namer.helpers.items()):  # one is used by those that were added after it
            if any(f"{name}(" in line for line in used):
                helpers.insert(0, lines)
                used += lines[1:]
        head = ['"""What people ask for, by rule from the tables and tools."""', ""]
        head.append("from runtime.story import Story, scenario")
        return "\n".join([*head, *(line for lines in helpers for line in ("", "", *lines)), *body, ""])


def _scenes_of(twin: TwinAtHand, table: SettledTable) -> Iterator[Scene]:
    """The scenarios about a table, those first that people would ask for most."""
    links = LinkTemplates.of(twin, table)
    if links is not None:
        yield from links.scenes()
        return
    own = list(RowTemplates(twin, table).scenes())
    yield from own[:2]
    owner = twin.namer.name(table) if twin.namer.labels(table) else None
    for child, link in twin.namer.children(table) if owner is not None else ():
        assert owner is not None
        yield from ChildTemplates(twin, child, table, link, owner).scenes()
    yield from own[2:]
