"""The option that says which reward scores and lines are made of."""

from __future__ import annotations

from typing import Any

from runtime.verification.verdict import REWARD_KINDS


def add_reward(parser: Any, default: str | None = "final_state_and_rules") -> None:
    """Add `--reward`; without a default it is the one that the run was scored by."""
    parser.add_argument(
        "--reward",
        choices=REWARD_KINDS,
        default=default,
        help="what is rewarded: a right final state that was reached without breaking a rule, or the final state alone "
        f"(default {default or 'as the run was scored'})",
    )
