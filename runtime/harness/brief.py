"""What an agent is told before the first word, and the seed of an episode."""

from __future__ import annotations

import hashlib

from runtime.domain.dates import weekday
from runtime.domain.domain import Domain

_RULES = (
    "You are the assistant of the {title}. {summary}\n\n"
    "The current time is {now}, a {weekday}. It does not advance.\n\n"
    "You help one user with the tools you are given. The user reads what you write, but sees neither your calls nor "
    "their results, so tell them what matters. Change only what the user asks for{duties}. Record text that the user "
    "gives you in quotes exactly as it is. Ask for what you need and cannot look up. If your tools{rules} do not allow "
    "something, say plainly that you cannot do it. When you have done something, say so, and answer what the user "
    "wanted to know."
)


def system_message(domain: Domain, with_policy: bool) -> str:
    """The first message of an episode: who the assistant is, the frozen clock, how to work, and the policy."""
    policy = domain.policy.strip() if with_policy else ""
    text = _RULES.format(
        title=domain.card.title,
        summary=domain.card.summary.strip(),
        now=domain.now,
        weekday=weekday(domain.now),
        duties=" and what the policy below tells you to record or do" if policy else "",
        rules=" or the policy" if policy else "",
    )
    return f"{text}\n\n{policy}" if policy else text


def episode_seed(domain: Domain, task_id: str, trial: int) -> int:
    """The seed of whatever draws in an episode: the same in every run and every process."""
    name = "\0".join((domain.name, task_id, str(trial)))
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
