"""What a framework recorded, counted and compared.

python -m tests.frameworks.rewards FORM FILE EXPECTED, which reads as "2 x void, 1 x 1.0".
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any


def of_verifiers(file: Path) -> list[float | None]:
    """Of each trace of a `traces.jsonl`; None where it has no reward."""
    episodes = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    scores = [trace["rewards"].get("verdict") for episode in episodes for trace in episode["traces"]]
    return [None if score is None else score["score"] for score in scores]


def of_inspect(folder: Path) -> list[float | None]:
    """Of each sample of the newest log of a folder; None where it has no score."""
    from inspect_ai.log import read_eval_log

    samples: list[Any] = read_eval_log(str(max(folder.glob("*.eval")))).samples or []
    return [next((score.value["reward"] for score in (each.scores or {}).values()), None) for each in samples]


def main(form: str, file: str, expected: str) -> int:
    """Print the counts; exit status 1 if they are not what was expected."""
    rewards = {"verifiers": of_verifiers, "inspect": of_inspect}[form](Path(file))
    counts = Counter("void" if reward is None else f"{float(reward)}" for reward in rewards)
    found = ", ".join(f"{count} x {reward}" for reward, count in sorted(counts.items(), reverse=True))
    print(f"  rewards: {found}")
    if found != expected:
        print(f"  expected: {expected}", file=sys.stderr)
    return int(found != expected)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
