"""Which data flows of chains, of a domain's scenarios or tasks, are no edges of its graph."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from generator.commands.check_plan import Checked
from generator.scenarios.run import prove_scenarios
from generator.tasks.proofs.recheck import recheck_tasks


def missing_flows(checked: Checked, known: Collection[tuple[str, str]], domain: str) -> Iterator[str]:
    """A line for each pair of tools between which a chain has a flow, but that is not among those known."""
    used: dict[tuple[str, str], str] = {}
    for scenarios in checked.of(prove_scenarios):
        for each in scenarios.scenarios:
            used |= {pair: f"scenario {each.name!r}" for pair in each.flows if pair not in used}
    for tasks in checked.of(recheck_tasks):
        used |= {pair: "a task" for pair in tasks.flows if pair not in used}
    for (source, target), user in sorted(used.items()):
        if (source, target) not in known:
            yield (
                f"{source} -> {target} (data_flow): not there, but a chain of {user} uses it; `worldsmith graph "
                f"{domain}` finds it"
            )
