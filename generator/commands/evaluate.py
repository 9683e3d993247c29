"""`worldsmith eval` of the runtime, with the task sets of others, whose code runs in child processes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from runtime.commands.evaluate import OPENERS

if TYPE_CHECKING:
    from runtime.harness.evaluation.run import PlayableSet


@contextmanager
def open_played(arguments: argparse.Namespace) -> Iterator[PlayableSet]:
    """Open the set that a command line names; errors: UsageError."""
    from generator.audit.foreign import ForeignSet, find_source
    from generator.audit.playing import PlayedSet

    about = {each: getattr(arguments, each) for each in ("world", "python")}
    with ForeignSet(find_source(arguments.domain[0], arguments.data, **about)) as opened:
        yield PlayedSet(opened)


OPENERS.append(open_played)
