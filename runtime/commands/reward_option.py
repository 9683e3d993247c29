"""The option that says which reward scores and lines are made of."""

from __future__ import annotations

from typing import Any

from runtime.verification.verdict import REWARD_KINDS


def add_reward(parser: Any, default: str | None = "final_state") -> None:
    """Add `--reward`; without a default it is the one that the run was scored by."""
    parser.add_argument(
        "--reward",
        choices=REWARD_KINDS,
        default=default,
        help="what is rewarded: the final state, or a final state that was reached without a violation of a rule "
        f"(default {default or 'as the run was scored'})",
    )
