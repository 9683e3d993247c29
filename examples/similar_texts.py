"""Judge the texts of a stored run by similarity, as ScaleEnv does (section 4.1.1), beside the reward's own rule.

python -m examples.similar_texts runs/library-reference.db [--least 80]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from runtime.domain.domain import Domain
from runtime.domain.load import find_named
from runtime.harness.evaluation.store import read_run
from runtime.harness.record import EpisodeRecord, read_changes
from runtime.session.world import WorldCache
from runtime.task.judge import JudgedTask
from runtime.task.task import Task, start_world
from runtime.verification.texts import normalize


def similarity(expected: str, actual: str) -> float:
    """Return how much of two texts is the same, in percent, whatever the order of their words."""
    texts = (" ".join(sorted(normalize(text).split())) for text in (expected, actual))
    return 100 * SequenceMatcher(None, *texts, autojunk=False).ratio()


def texts_of(record: EpisodeRecord, task: Task, domain: Domain, worlds: WorldCache) -> Iterator[tuple[str, str]]:
    """Yield each text that the task writes and the one that the episode left in its place."""
    world = start_world(task, domain, worlds)
    expected, actual = JudgedTask(task, domain, world).ends[record.nearest].rows, read_changes(record.final).rows
    new = {(pair.expected.table, pair.expected.key): (pair.actual.table, pair.actual.key) for pair in record.pairs}
    for name, (before, after) in expected.items():
        found = actual.get(new.get(name, name))
        for column, at in domain.schema.tables[name[0]].positions.items():
            is_set = after is not None and after[at] and (before is None or before[at] != after[at])
            if is_set and domain.policies.of(name[0], column).policy == "semantic":
                left = found.after if found is not None else before
                yield str(after[at]), str((left[at] if left is not None else None) or "")


def reward_by_similarity(record: EpisodeRecord, task: Task, domain: Domain, worlds: WorldCache, least: float) -> int:
    """Return 1 if the episode differs in texts at most, and all of them are similar."""
    hard = [
        each
        for each in record.differences
        if each.kind != "wrong_value"
        or any(domain.policies.of(each.table, column).policy != "semantic" for column in each.columns)
    ]
    if hard or record.violations:
        return 0
    return int(all(similarity(*texts) >= least for texts in texts_of(record, task, domain, worlds)))


def main(words: list[str] | None = None) -> None:
    """Print the episodes whose reward differs, and both means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path, help="the store of a run")
    parser.add_argument("--least", type=float, default=80, help="percent that similar texts have in common")
    arguments = parser.parse_args(words)
    run, worlds, rewards = read_run(arguments.store), WorldCache(), []
    domains = {name: find_named(name) for name in run.domains}
    for record in run.records():
        if record.reward is not None:
            task, domain = run.tasks[record.domain, record.task], domains[record.domain]
            similar = reward_by_similarity(record, task, domain, worlds, arguments.least)
            rewards.append((record.reward, similar))
            if similar != record.reward:
                print(f"{record.domain}:{record.task} trial {record.trial}: {record.reward}, {similar} by similarity")
    means = [sum(each) / len(rewards) for each in zip(*rewards, strict=True)]
    print("mean reward {:.3f}, {:.3f} by similarity".format(*means) if means else "no episode has a verdict")


if __name__ == "__main__":
    main()
