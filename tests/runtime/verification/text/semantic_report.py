"""How well the default matcher judges the labelled pairs: accuracy per kind and file, and every pair it gets wrong."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from runtime.verification.text.match import TextMatch, match_text

PAIR_FILES = sorted(Path(__file__).parent.glob("semantic_pairs*.jsonl"))


@dataclass(frozen=True)
class Pair:
    """Two texts and whether they say the same."""

    kind: str
    expected: str
    actual: str
    facts: list[str]
    same: bool


@dataclass(frozen=True)
class Score:
    """The matcher's answers to one file of pairs."""

    answers: list[tuple[Pair, TextMatch]]

    @property
    def accuracy(self) -> float:
        """The share of pairs judged right."""
        return sum(pair.same == answer.same for pair, answer in self.answers) / len(self.answers)

    @property
    def false_accepts(self) -> float:
        """The share of wrong texts that were accepted."""
        wrong = [answer.same for pair, answer in self.answers if not pair.same]
        return sum(wrong) / max(1, len(wrong))

    def mistakes(self) -> Iterator[tuple[Pair, TextMatch]]:
        """The pairs judged wrong."""
        return ((pair, answer) for pair, answer in self.answers if pair.same != answer.same)


def read_pairs(path: Path) -> list[Pair]:
    """The labelled pairs of a file, one JSON object a line."""
    return [Pair(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def score(pairs: list[Pair]) -> Score:
    """Judge every pair with the default matcher."""
    return Score([(pair, match_text(pair.expected, pair.actual, pair.facts)) for pair in pairs])


def main() -> None:
    """Print the report."""
    for path in PAIR_FILES:
        pairs = read_pairs(path)
        started = perf_counter()
        result = score(pairs)
        each = (perf_counter() - started) / len(pairs) * 1000
        print(
            f"{path.name}: {len(pairs)} pairs, accuracy {result.accuracy:.1%}, "
            f"false accepts {result.false_accepts:.1%}, {each:.2f} ms a pair"
        )
        kinds: dict[str, list[bool]] = defaultdict(list)
        for pair, answer in result.answers:
            kinds[pair.kind].append(pair.same == answer.same)
        for kind, right in kinds.items():
            print(f"  {kind:20} {sum(right)}/{len(right)}")
        for pair, answer in result.mistakes():
            print(f"  WRONG {pair.kind}, labelled {'same' if pair.same else 'different'}: {answer.reason}")
            print(f"    expected {pair.expected!r}\n    actual   {pair.actual!r}\n    facts    {pair.facts}")


if __name__ == "__main__":
    main()
