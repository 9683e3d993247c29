"""Record the shipped tasks anew: `python -m tests.golden [DOMAIN ...]`. Say in the commit what changed, and why."""

from __future__ import annotations

import sys

from runtime.session.world import WorldCache
from tests.conftest import SHIPPED
from tests.golden.record import AGENTS, read_records, record_of, write_records
from worldsmith import tasks

for domain in sys.argv[1:] or SHIPPED:
    worlds = WorldCache(64)
    records = [record_of(task, worlds) for task in tasks(domain)]
    try:
        before = {each.id: each for each in read_records(domain)}
    except FileNotFoundError:
        before = {}
    write_records(domain, records)
    changed = [each.id for each in records if before.get(each.id) != each]
    earned = {agent: sum(int(each.agents[at]) for each in records) for at, agent in enumerate(AGENTS)}
    wrong = "".join(each.wrong for each in records)
    print(
        f"{domain}: {len(records)} tasks, {len(changed)} changed; rewarded: {earned}, {wrong.count('1')} of "
        f"{len(wrong)} wrong chains"
    )
