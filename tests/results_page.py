"""Write `docs/results.md` from the cards in docs/results: python -m tests.results_page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from runtime.harness.evaluation.card import CardScore, ResultCard, read_card

PAGE = Path(__file__).parent.parent / "docs" / "results.md"
CARDS = PAGE.with_suffix("")
_HEAD = """# Results

Every figure on this page is from a card: a small file with the scores of one run and everything they depend on
(settings, the digests of domains and tasks, tokens, cost, dates). Written by `python -m tests.results_page` from
[docs/results](results); a test holds the page to the cards, and plays two of the runs again.

So far all agents are scripted: they know the task's solution (`reference`, `careful`, `blind`), make one mistake
wherever a task states one (`comply_all`, `refuse_all`, `trust_all`, `look_once`), or show that tasks cannot be won by
doing nothing, guessing, or reciting. They are no measure of a model, and no model has a card yet.

"""
_TAIL = """
Intervals are Wilson's at 95%, of the mean over tasks. A task counts once however many trials it has. Void episodes are
in no score.

## Add a card

```bash
worldsmith eval --suite paper-sample --agent openai:MODEL --trials 4 --store run.db
worldsmith report run.db --card --out docs/results/MODEL.json
worldsmith rescore run.db --card docs/results/MODEL.json
python -m tests.results_page
```

`rescore --card` judges every final state in the store again by the present code and domains, and exits 1 if a verdict
flips or the card says anything that the store does not. Publish the store beside the card (`run.db` holds conversations
and final states), so that anybody can do the same. A card does not prove that the agent was what its name says: nothing
in a store can.
"""


def page_of(cards: Iterable[tuple[str, ResultCard]]) -> str:
    """Return the page; `cards` are with the names of their files."""
    rows: dict[str, list[tuple[float, str]]] = {}
    for name, card in cards:
        known = card.settings
        first, last = _score(card, "Avg@"), _score(card, "Pass^")
        about = f"{known['suite'] or ', '.join(card.tasks)}, {card.count} tasks, user {known['user']}"
        cost = "unknown" if card.cost is None else f"${card.cost:.2f}"
        cells = [f"[{card.agent}](results/{name})", *(_shown(*each) for each in (first, last))]
        cells += [f"{card.trials}", f"{card.void} of {card.episodes}", cost, card.ended[:10]]
        rows.setdefault(about, []).append((-(first[1].value or 0), f"| {' | '.join(cells)} |"))
    parts = []
    for about, lines in sorted(rows.items()):
        parts += [f"## {about}", "", "| agent | Avg | all trials | trials | void | cost | date |"]
        parts += ["| --- | --- | --- | --- | --- | --- | --- |", *(line for _, line in sorted(lines))]
    return _HEAD + "\n".join(parts) + "\n" + _TAIL


def _score(card: ResultCard, metric: str) -> tuple[str, CardScore]:
    """Return the score of a metric at the greatest k."""
    return [(name, score) for name, score in card.scores.items() if name.startswith(metric)][-1]


def _shown(name: str, score: CardScore) -> str:
    return "-" if score.value is None else f"{name} {score.value:.3f} ({score.low:.3f}-{score.high:.3f})"


def page_of_cards() -> str:
    """Return the page of the cards in docs/results."""
    return page_of((path.name, read_card(path)) for path in sorted(CARDS.glob("*.json")))


if __name__ == "__main__":
    PAGE.write_text(page_of_cards(), encoding="utf-8")
