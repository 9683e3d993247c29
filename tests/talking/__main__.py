"""Play every way of talking over all tasks of domains: `python -m tests.talking [DOMAIN ...] [--expert] [--show]`."""

from __future__ import annotations

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.conftest import SHIPPED
from tests.talking.talkers import TALKS, Conversation, Talk, converse
from worldsmith import tasks

FILE = "expert" if "--expert" in sys.argv else None


def _play(job: tuple[str, int, Talk]) -> Conversation:
    domain, at, talk = job
    return converse(tasks(domain, file=FILE)[at], talk)


def main() -> None:
    """Print the mean reward of each way of talking, and what went wrong."""
    words = [each for each in sys.argv[1:] if not each.startswith("--")]
    with ProcessPoolExecutor(2) as pool:
        for domain in words or SHIPPED:
            for talk in TALKS:
                jobs = [(domain, at, talk) for at in range(len(tasks(domain, file=FILE)))]
                played = list(pool.map(_play, jobs, chunksize=16))
                failed = [each for each in played if not each.reward]
                counts = {
                    "slips": f", {sum(bool(each.slipped) for each in played)} slipped",
                    "offers": f", {sum(len(each.consented) for each in played)} offers taken",
                    "rewords": f", {sum(len(each.reworded) for each in played)} texts reworded",
                }
                slipped = counts.get(talk, "")
                print(f"{domain} {talk}: {len(played) - len(failed)} of {len(played)}{slipped}")
                for why, count in Counter(each.why[0] if each.why else str(each.ended) for each in failed).most_common(
                    4
                ):
                    first = next(each for each in failed if (each.why[0] if each.why else str(each.ended)) == why)
                    print(f"  {count} x {why[:150]} ({first.task})")
                    if "--show" in sys.argv:
                        print("\n".join(f"    > {said}\n    < {reply}" for said, reply in first.replies))


if __name__ == "__main__":
    main()
