"""Luck: where a row decides what is right, a chain that never read it is wrong as soon as that row is otherwise."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice

from generator.tasks.candidate import Candidate
from generator.tasks.proofs.edits import edited_world, edits_of_results
from generator.tasks.proofs.elsewhere import is_right_there, steps_of, tell_alike
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.session.session import Session
from runtime.task.script import Script
from runtime.task.user import Form

DECIDED: frozenset[Form] = frozenset({"conditional", "best_of"})
"""The forms of which a row decides; of those that a rule decides, the proof of twins says the same."""

MOST_TRIALS = 96  # edited rows


def try_luck(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """For each scenario of such a form, whether some row "decides"."""
    for number, script in enumerate(candidate.scripts):
        if script.form in DECIDED:
            decides = _is_decided(replayer, candidate, number, script)
            fault = f"The chain of the form {script.form} is right whatever the rows hold that it is to be decided by."
            yield Trial("decides", "" if decides else fault)


def _is_decided(replayer: TaskReplayer, candidate: Candidate, number: int, script: Script) -> bool:
    """Whether a row can be edited so that the user says the same, and the same calls are no longer right."""
    first = sum(len(each.calls) for each in candidate.scripts[:number])
    steps = replayer.reference[first : first + len(script.calls)]
    written = [step.arguments for step in steps if replayer.domain.tools[step.tool].writes]
    results = [*written, *(step.result for step in steps)]  # what is changed first: it is the likeliest to decide
    chain = [step for steps in steps_of(replayer, candidate) for step in steps]
    with Session(replayer.domain, replayer.world) as session:
        session.open()  # from here on, a row that does not fit is refused where it is written
        decisive = {lookup.best.column for lookup in script.lookups if lookup.best is not None}
        for edit in islice(edits_of_results(replayer, candidate, results, decisive), MOST_TRIALS):
            try:
                world = edited_world(session, edit)
            except sqlite3.Error:
                continue
            with Session(replayer.domain, world) as there:
                telling = tell_alike(candidate, there, number)
                if telling is not None and not is_right_there(replayer, there, chain, candidate.scripts, telling):
                    return True
    return False
