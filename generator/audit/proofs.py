"""The proofs of a foreign task: its gold and chains near it are replayed, and their ends are compared."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice, permutations
from typing import Any, Literal, TypeAlias

from generator.audit.foreign import ForeignSet, ForeignTask, Replayed, ReplayStopped

Calls: TypeAlias = list[tuple[str, dict[str, Any]]]
Word = Literal["wrong", "unfair", "open", "unsourced", "unstable", "differs", "redundant"]
_MOST_ORDERED = 5  # writes of a gold all of whose orders are tried
_MOST_ORDERS = 60  # orders tried of a longer gold
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MOST_NUMBERS = 400  # readable numbers that pairs are made of


@dataclass(frozen=True)
class Finding:
    """What a proof found: its sentence, and the witness: calls, what they answered, the gold's end and theirs."""

    task: str
    proof: str
    word: Word
    sentence: str
    calls: Calls = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    gold_digest: str = ""
    digest: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return all of it as JSON's types."""
        return asdict(self)


def audit_tasks(
    opened: ForeignSet, tasks: Sequence[ForeignTask], done: Callable[[], object] = lambda: None
) -> list[Finding]:
    """Return what the proofs find, task by task, then what tasks have in common."""
    found: list[Finding] = []
    ends: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        try:
            gold = opened.replay(task.id, task.calls)
            for finding in _prove(opened, task, gold):
                found.append(finding)
            if gold.digest and task.judge == "state":
                ends[gold.digest].append(task.id)
        except ReplayStopped as stopped:
            found.append(Finding(task.id, "G2", "unstable", str(stopped), task.calls))
        done()
    for end, ids in ends.items():
        if len(ids) > 1:
            same = f"The golds of {', '.join(ids)} end in the same state: one solves the others."
            found.append(Finding(ids[0], "V1", "open", same, gold_digest=end, digest=end))
    return found


def _prove(opened: ForeignSet, task: ForeignTask, gold: Replayed) -> Iterator[Finding]:
    def finding(proof: str, word: Word, sentence: str, calls: Calls, end: Replayed | None) -> Finding:
        answers = [each["text"][:300] for each in end.answers] if end else []
        return Finding(task.id, proof, word, sentence, calls, answers, gold.digest, end.digest if end else "")

    writes = [
        at
        for at, ((name, _), answer) in enumerate(zip(task.calls, gold.answers, strict=True))
        if answer.get("changed", name in opened.writes)
    ]
    for at, answer in enumerate(gold.answers):
        if answer["error"]:
            name, given = task.calls[at]
            is_mistaken = at in writes or answer["text"].startswith("TypeError")
            word: Word = "wrong" if is_mistaken else "unsourced"
            kind = "write" if at in writes else "read"
            sentence = f"Step {at + 1} of the gold, the {kind} {name}({_shown(given)}), is refused: {answer['text']}"
            yield finding("G1", word, sentence, task.calls[: at + 1], gold)
    for at in writes:
        name, given = task.calls[at]
        if same := _identities(given):
            yield finding("N1", "wrong", f"Step {at + 1}, {name}, puts {same} in place of itself.", task.calls, gold)
    again = opened.replay(task.id, task.calls)
    if again.digest != gold.digest:
        yield finding("G2", "unstable", "The gold ends elsewhere when it is played again.", task.calls, again)
    if gold.passes is False:
        yield finding("G1", "wrong", "The set's own judge refuses the end of the gold.", task.calls, gold)
    if task.judge != "none":
        yield from _prove_idle(opened, task, gold, finding)
        yield from _prove_drops(opened, task, gold, writes, finding)
    yield from _prove_orders(opened, task, gold, writes, finding)
    yield from _prove_lists(opened, task, gold, writes, finding)
    if writes and task.judge == "verify" and gold.passes:
        twice = opened.replay(task.id, task.calls + task.calls)
        if twice.passes and twice.digest != gold.digest:
            said = "The gold played twice ends elsewhere, and the set's own judge lets it pass."
            yield finding("X1", "open", said, task.calls + task.calls, twice)
    yield from _prove_sources(opened, task, gold, writes, finding)
    for at, code, rule in gold.broken:
        if at in writes and not gold.answers[at]["error"]:
            said = f"Step {at + 1}, {task.calls[at][0]}({_shown(task.calls[at][1])}), breaks {code}: {rule}"
            yield finding("R1", "wrong", said, task.calls, gold)


Make: TypeAlias = Callable[[str, Word, str, Calls, "Replayed | None"], Finding]


def _prove_idle(opened: ForeignSet, task: ForeignTask, gold: Replayed, make: Make) -> Iterator[Finding]:
    if task.judge == "verify":
        idle = opened.replay(task.id, [])
        if idle.passes:
            yield make("I1", "open", "Doing nothing passes the set's own judge.", [], idle)
    elif not gold.digest:
        rest = [f"{len(task.say)} expected words"] if task.say else []
        rest += [f"{task.unjudged} assertions for a model"] if task.unjudged else []
        said = f"The gold changes nothing; the right refusal is told from silence by {' and '.join(rest) or 'nothing'}."
        yield make("I1", "open", said, [], opened.replay(task.id, []))


def _prove_drops(
    opened: ForeignSet, task: ForeignTask, gold: Replayed, writes: list[int], make: Make
) -> Iterator[Finding]:
    for at in writes:
        calls = task.calls[:at] + task.calls[at + 1 :]
        less = opened.replay(task.id, calls)
        passes = less.passes if task.judge == "verify" else less.digest == gold.digest
        if passes and gold.passes is not False:
            said = f"Without step {at + 1}, {task.calls[at][0]}, the end passes as well."
            yield make("D1", "redundant", said, calls, less)


def _prove_orders(
    opened: ForeignSet, task: ForeignTask, gold: Replayed, writes: list[int], make: Make
) -> Iterator[Finding]:
    if len(writes) < 2 or task.judge != "state":
        return
    tried = other = 0
    witness: tuple[Calls, Replayed] | None = None
    for order in islice(permutations(writes), 1, None if len(writes) <= _MOST_ORDERED else _MOST_ORDERS):
        calls = [task.calls[at] for at in order]
        end = opened.replay(task.id, calls)
        tried += 1
        if end.digest != gold.digest and not any(each["error"] for each in end.answers):
            other, witness = other + 1, witness or (calls, end)
    if witness:
        said = f"{other} of {tried} other orders of the writes are accepted and end elsewhere."
        yield make("O1", "unfair", said, *witness)


def _prove_lists(
    opened: ForeignSet, task: ForeignTask, gold: Replayed, writes: list[int], make: Make
) -> Iterator[Finding]:
    for at in writes:
        name, given = task.calls[at]
        for together in opened.sets:
            lists = {each: given[each] for each in together if isinstance(given.get(each), list)}
            if not any(len(each) > 1 for each in lists.values()) or len({len(each) for each in lists.values()}) > 1:
                continue
            turned = {**given, **{each: value[::-1] for each, value in lists.items()}}
            calls = [*task.calls[:at], (name, turned), *task.calls[at + 1 :]]
            end = opened.replay(task.id, calls)
            if end.digest != gold.digest and not end.answers[at]["error"] and not gold.answers[at]["error"]:
                said = f"Step {at + 1}, {name}, ends elsewhere when {' and '.join(lists)} come in another order."
                yield make("L1", "unfair", said, calls, end)


def _prove_sources(
    opened: ForeignSet, task: ForeignTask, gold: Replayed, writes: list[int], make: Make
) -> Iterator[Finding]:
    heard = " ".join([task.text, *(each["text"] for each in gold.answers if not each["error"])]).lower()
    values = [each for at in writes for each in _strings(task.calls[at][1]) if each.lower() not in heard]
    if values and (absent := opened.unknown(values)):
        yield make("P1", "unsourced", f"No text and no record of the world has {', '.join(absent)}.", task.calls, gold)
    missing = [each for each in task.say if each.lower() not in heard.replace(",", "")]
    if missing and (absent := [each for each in missing if not _is_computed(each, heard)]):
        said = f"The expected words {', '.join(absent)} are read nowhere, nor a sum or difference of two values."
        yield make("C1", "unsourced", said, task.calls, gold)


def _is_computed(said: str, heard: str) -> bool:
    """Return whether a number is the sum or difference of two numbers that were heard, or counts something small."""
    try:
        wanted = round(float(said.replace(",", "")), 2)
    except ValueError:
        return False
    numbers = sorted({float(each) for each in _NUMBER.findall(heard) if len(each) < 12})[:_MOST_NUMBERS]
    held = {round(each, 2) for each in numbers}
    return any(round(wanted - each, 2) in held or round(wanted + each, 2) in held for each in numbers)


def _identities(given: dict[str, Any]) -> list[str]:
    """Return the values that a call puts in place of themselves: an argument `new_X` that equals `X`."""
    found = []
    for name, value in given.items():
        old = given.get(name.removeprefix("new_")) if name.startswith("new_") else None
        pairs = zip(old, value, strict=False) if isinstance(value, list) and isinstance(old, list) else [(old, value)]
        found += [str(new) for before, new in pairs if before is not None and before == new]
    return found


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)
    elif isinstance(value, str):
        yield value


def compare_sets(one: ForeignSet, other: ForeignSet, tasks: Sequence[ForeignTask]) -> list[Finding]:
    """Return the tasks whose gold writes differ in another version of the set, and which of the two replays."""
    found, theirs = [], {task.id: task for task in other.tasks}
    for task in tasks:
        against = theirs.get(task.id)
        if against is None:
            found.append(Finding(task.id, "A1", "differs", "The other version has no task of this id.", task.calls))
        elif _writes(task, one) != _writes(against, other):
            ends = one.replay(task.id, task.calls), other.replay(task.id, against.calls)
            said = [
                "is refused" if any(answer["error"] for at, answer in enumerate(end.answers)
                                    if calls[at][0] in one.writes) else "replays"
                for end, calls in zip(ends, (task.calls, against.calls), strict=True)
            ]  # fmt: skip
            sentence = f"The gold writes differ: this one {said[0]}, the other's {said[1]}."
            answers = [each["text"][:300] for each in ends[1].answers]
            found.append(
                Finding(task.id, "A1", "differs", sentence, against.calls, answers, ends[0].digest, ends[1].digest)
            )
    return found


def _writes(task: ForeignTask, opened: ForeignSet) -> list[str]:
    return [json.dumps(each, sort_keys=True) for each in task.calls if each[0] in opened.writes]


def _shown(given: dict[str, Any]) -> str:
    shown = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in given.items())
    return shown if len(shown) <= 200 else shown[:200] + "…"
