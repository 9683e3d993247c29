"""How often the scripted user errs on the written table: `python -m tests.runtime.harness.users.measure`.

Its parts: `development`, `held_out` (never worked on), `played` (turns of a real assistant in 40 tasks, worked on),
`asking` and `unseen` (turns by kinds; the errors on `unseen` were read only after its first measurement, 25 %), and
`unseen_later` (written in words as unfamiliar as possible; 53 % at first, of which only early ends were worked on).
A row names a script, how many of its wishes were said, what the assistant says then, and the right replies, any of
which will do. A reply is read here from its text alone, not by how it came about. Its acts: `tell:A,B` and `object:A`
(facts by name), `confirm`, `unknown`, `decline`, `quote` (a sentence of the wishes said), `repeat` (the wish), `wait`,
`next` (the next wish), `end`. A mark `?` behind an act or a name says that it may be missing.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from runtime.harness.user import UserReply
from runtime.harness.users.knowledge import learn
from runtime.harness.users.scripted import ScriptedUser
from runtime.harness.users.slips import find_foreign
from runtime.task.task import User
from runtime.verification.text.match import normalise

HERE = Path(__file__).parent
DONE = "That has been taken care of."


@dataclass(frozen=True)
class Row:
    """One written turn."""

    half: str
    script: str
    said: int
    assistant: str
    right: tuple[str, ...]
    before: tuple[str, ...] = ()  # what the assistant said about the present wish before
    kind: str = ""  # of the turn, where the part was written by kinds


@dataclass(frozen=True)
class Outcome:
    """What the user did about a row, and which of the rules that must never break it broke."""

    row: Row
    reply: UserReply
    acts: str
    is_right: bool
    forbidden: tuple[str, ...]


@lru_cache(maxsize=1)
def read_scripts() -> dict[str, User]:
    """The users of the table by name."""
    return {name: User(**each) for name, each in json.loads((HERE / "scripts.json").read_text("utf-8")).items()}


def read_rows() -> list[Row]:
    """The table."""
    lines = (HERE / "assistant_turns.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Row(**{**row, "right": tuple(row["right"]), "before": tuple(row.get("before", ()))}) for row in rows]


def judge(row: Row) -> Outcome:
    """Have a fresh user hear a row's message after the wishes said before it."""
    script = read_scripts()[row.script]
    reply = asyncio.run(_reply(script, row))
    acts = _acts_of(script, row, reply)
    return Outcome(row, reply, _shown(acts), _fits_any(acts, row.right), tuple(_forbidden(script, row, reply)))


async def _reply(script: User, row: Row) -> UserReply:
    user = ScriptedUser(learn(script))
    await user.open()
    for _ in range(row.said - 1):
        assert not (await user.reply(DONE)).ends
    for earlier in row.before:
        assert not (await user.reply(earlier)).ends
    return await user.reply(row.assistant)


def _acts_of(script: User, row: Row, reply: UserReply) -> dict[str, set[str]]:
    text = reply.text
    if reply.ends:
        return {"end": set()}
    if row.said < len(script.words) and script.words[row.said] in text:
        return {"next": set()}
    if script.words[row.said - 1] in text:
        return {"repeat": set()}
    acts: dict[str, set[str]] = {}
    for sentence in (
        part for word in script.words[: row.said] for part in learn(_only(script, word)).wishes[0].sentences
    ):
        if sentence in text:
            acts["quote"] = set()
            text = text.replace(sentence, " ")
    plain = f" {normalise(text)} "
    told = set()
    for each in sorted(script.facts, key=lambda fact: -len(fact.said)):  # a name inside a longer text is not told
        if f" {normalise(each.said)} " in plain:
            told.add(each.name)
            if len(each.said.split()) > 3:
                plain = plain.replace(f" {normalise(each.said)} ", "  ")
    if text.startswith("No, "):
        acts["decline" if text.startswith("No, thank") else "object"] = set()
    if told:
        acts["object" if "object" in acts else "tell"] = told
    if text.startswith("Yes"):
        acts["confirm"] = set()
    if "don't know" in text:
        acts["unknown"] = set()
    if "wait" in text:
        acts["wait"] = set()
    return acts


def _only(script: User, word: str) -> User:
    return User(profile=script.profile, words=[word])


def _fits_any(acts: dict[str, set[str]], right: Sequence[str]) -> bool:
    return any(_fits(acts, each) for each in right)


def _fits(acts: dict[str, set[str]], right: str) -> bool:
    needed: dict[str, set[str]] = {}
    allowed: dict[str, set[str]] = {}
    for act in _split(right):
        kind, _, names = act.partition(":")
        parts = [name for name in names.split(",") if name]
        may_miss = kind.endswith("?") or (bool(parts) and all(name.endswith("?") for name in parts))
        kind = kind.rstrip("?")
        allowed[kind] = {name.rstrip("?") for name in parts}
        if not may_miss:
            needed[kind] = {name for name in parts if not name.endswith("?")}
    return (
        bool(acts)
        and all(kind in acts and names <= acts[kind] for kind, names in needed.items())
        and all(kind in allowed and names <= allowed[kind] for kind, names in acts.items())
    )


def _split(right: str) -> list[str]:
    """Acts are parted by spaces, of which names have some too: a new act begins with a known word."""
    parts: list[str] = []
    for word in right.split(" "):
        if word.partition(":")[0].rstrip("?") in _ACTS or not parts:
            parts.append(word)
        else:
            parts[-1] += f" {word}"
    return parts


_ACTS = ("tell", "object", "confirm", "unknown", "decline", "quote", "repeat", "wait", "next", "end")


def _forbidden(script: User, row: Row, reply: UserReply) -> list[str]:
    broken = []
    moves_on = any("next" in each for each in row.right)
    if reply.ends and not any(each.startswith("end") for each in row.right):
        broken.append("ends early")
    knowledge = learn(script)
    plain = f" {normalise(reply.text)} "
    earlier = f" {normalise(' '.join([*script.words[: row.said], row.assistant, script.profile]))} "
    may = row.said if moves_on else row.said - 1
    known = {each.plain for each in knowledge.told_by(row.said - 1)}
    for each in knowledge.facts:
        if (
            each.wish > may
            and f" {each.plain} " in plain
            and f" {each.plain} " not in earlier
            and each.plain not in known
        ):
            broken.append(f"volunteers {each.name}")
    spoken = [script.profile, *script.words, *(each.said for each in script.facts), row.assistant]
    broken += [f"invents {words!r}" for words in find_foreign(reply.text, spoken)]
    return broken


def _shown(acts: dict[str, set[str]]) -> str:
    return " ".join(f"{kind}:{','.join(sorted(names))}" if names else kind for kind, names in acts.items()) or "nothing"


def main() -> int:
    """Print the errors and the rates of both halves; 1 if a rule that must never break was broken."""
    outcomes = [judge(row) for row in read_rows()]
    for outcome in outcomes:
        if not outcome.is_right or outcome.forbidden:
            row = outcome.row
            print(f"{row.half} {row.script}/{row.said}: {row.assistant!r}", file=sys.stderr)
            print(
                f"   right {row.right}, was {outcome.acts}: {outcome.reply.text!r}", *outcome.forbidden, file=sys.stderr
            )
    counts = Counter(outcome.row.half for outcome in outcomes)
    wrong = Counter(outcome.row.half for outcome in outcomes if not outcome.is_right)
    broken = Counter(each.split(" ")[0] for outcome in outcomes for each in outcome.forbidden)
    for half in counts:
        print(f"{half}: {wrong[half]} of {counts[half]} wrong ({100 * wrong[half] / counts[half]:.1f} %)")
        kinds = Counter(outcome.row.kind for outcome in outcomes if outcome.row.half == half and outcome.row.kind)
        for kind, number in kinds.items():
            erred = sum(not each.is_right for each in outcomes if (each.row.half, each.row.kind) == (half, kind))
            print(f"  {kind}: {erred} of {number}")
    print(f"invented {broken['invents']}, volunteered {broken['volunteers']}, ended early {broken['ends']}")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
