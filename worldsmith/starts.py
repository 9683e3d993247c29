"""Which worlds are kept for rollouts to start from: tasks of one seed and size share one image of the world."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from runtime.session.opening import WorldCache
from runtime.session.world import World
from runtime.task.task import start_world
from worldsmith.catalog import DomainTask

MOST_BYTES = 256 * 1024**2  # of kept images; the world that is needed now is kept whatever its size


@dataclass
class _Start:
    """A world and those of its tasks; these hold no more than the rows that were added to it."""

    cache: WorldCache = field(default_factory=lambda: WorldCache(1))
    worlds: WeakKeyDictionary[DomainTask, World] = field(default_factory=WeakKeyDictionary)
    size: int = 0


class Starts:
    """The worlds that were started from last, as far as they fit into so many bytes."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._starts: OrderedDict[tuple[Any, ...], _Start] = OrderedDict()
        self._lock = threading.Lock()

    def world_of(self, task: DomainTask) -> World:
        """The world that a task starts from, built if it is not kept; errors: UsageError, EnvironmentFault."""
        name = task.domain, *task.task.world.base
        with self._lock:
            start = self._starts.pop(name, None) or _Start()
            world = start.worlds.get(task)
            if world is None:
                world = start_world(task.task, task.domain, start.cache).slim()
                start.worlds[task] = world
                start.size = len(world.base)
            self._starts[name] = start
            while len(self._starts) > 1 and sum(each.size for each in self._starts.values()) > self._most_bytes:
                self._starts.popitem(last=False)
            return world
