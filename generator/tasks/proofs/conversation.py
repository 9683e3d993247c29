"""Whether a task can be won in conversation: the reference agent plays it with the scripted user."""

from __future__ import annotations

from runtime.domain.domain import Domain
from runtime.session.world import World
from runtime.task.task import Task


def fault_of_conversation(task: Task, domain: Domain, world: World) -> str:
    """Why whoever does the right thing and talks with the user is not rewarded; empty if they are."""
    import asyncio  # only the few candidates that hold get so far

    from runtime.harness.agents.reference import ReferenceAgent
    from runtime.harness.play import Setting, play
    from runtime.harness.users.scripted import ScriptedKind

    setting = Setting(ReferenceAgent(), ScriptedKind(), "session")
    record = asyncio.run(play(task, domain, world, 0, setting))
    if record.reward == 1:
        return ""
    found = [each.sentence for each in record.differences] + [each.sentence for each in record.violations]
    return found[0] if found else record.why or f"The conversation ended: {record.end}."
