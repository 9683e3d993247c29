"""What an agent is told before the first word, and the seed of an episode."""

from __future__ import annotations

import hashlib

from runtime.domain.dates import weekday
from runtime.domain.domain import Domain

_RULES = (
    "You are the assistant of the {title}. {summary}\n\n"
    "The current time is {now}, a {weekday}. It does not advance.\n\n"
    "You help one user, with the tools that you are given. The user reads what you write, but sees neither your calls "
    "nor their results, so say what matters of them. Do only what the user asks for, and change nothing else. Ask for "
    "what you need and cannot look up. What your tools or the rules do not allow, say plainly that you cannot do. When "
    "something is done, report it, with whatever the user wanted to know."
)


def system_message(domain: Domain, with_policy: bool) -> str:
    """The first message of an episode: who the assistant is, the frozen clock, the rules; with the domain's policy."""
    text = _RULES.format(
        title=domain.card.title, summary=domain.card.summary.strip(), now=domain.now, weekday=weekday(domain.now)
    )
    return f"{text}\n\n{domain.policy.strip()}" if with_policy and domain.policy.strip() else text


def episode_seed(domain: Domain, task_id: str, trial: int) -> int:
    """The seed of whatever draws in an episode: the same in every run and every process."""
    name = "\0".join((domain.name, task_id, str(trial)))
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
