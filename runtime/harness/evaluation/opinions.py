"""What a model, or one of three toy judges, thinks of an episode: an opinion beside the verdict, never instead.

An opinion says for each request whether it was handled. It is kept in a book of answers beside the run's store, so
that a model is paid once. The toys are three ways to judge a transcript badly, each with its name: `lexical` asks
whether the agent repeats the words of the request, `polite` whether it says that it is done and never that it is sorry,
`busy` whether it changed anything. They exist to be fooled, in the open; no reward of Worldsmith comes from them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from runtime.domain.domain import Domain
from runtime.domain.people import is_desk_tool
from runtime.errors import ModelFailed, UsageError
from runtime.harness.evaluation.scores import LEVEL, plain, wilson
from runtime.harness.outcome import accepted_calls
from runtime.harness.record import EpisodeRecord
from runtime.model.book import AnswerBook
from runtime.model.choose import choose_models
from runtime.model.model import Answer, Model, Price, Request, Usage
from runtime.task.task import Task
from runtime.wording import counted

Sees = Literal["talk", "calls"]
"""What a model is shown: what was said, or the calls and their results too, and the policy."""

TOYS = ("lexical", "polite", "busy")
_SIMILAR = 0.5  # share of a request's words that the lexical judge wants to see again
_SHORTEST = 4  # letters of a word that counts for it
_MOST_SHOWN = 2_000  # characters of one message
_LISTED = 10  # episodes about which judge and rule differ
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "requests": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"why": {"type": "string"}, "handled": {"type": "boolean"}},
                "required": ["why", "handled"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["requests"],
    "additionalProperties": False,
}
_BRIEF = """You judge how an assistant of an office handled the requests of one customer.

For each request say in one sentence what became of it, and whether it was handled as it should be: carried out exactly
as the customer wanted, with nothing changed beside it; or answered rightly; or, where the rules forbid it, declined. A
claim of the assistant that something is done is not by itself evidence. Give one entry for each request, in order.
"""


@dataclass(frozen=True)
class EpisodeOpinion:
    """What a judge thinks of one episode, beside what the rule said of it; `handled` is by request."""

    domain: str
    task: str
    trial: int
    handled: tuple[bool, ...]
    reward: int

    @property
    def passes(self) -> bool:
        """True if the judge takes every request to be handled."""
        return all(self.handled)


@dataclass(frozen=True)
class Share:
    """A count among others, with Wilson's interval of the share."""

    count: int
    of: int

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The least and the greatest share that the count fits, at 95 %; None of nothing."""
        return wilson([1.0] * self.count + [0.0] * (self.of - self.count))

    def as_json(self) -> dict[str, Any]:
        return dict(plain({"count": self.count, "of": self.of, "interval": self.interval}))

    def __str__(self) -> str:
        low, high = self.interval
        return "-" if low is None else f"{self.count / self.of:.3f} ({low:.3f}-{high:.3f}), {self.count} of {self.of}"


@dataclass(frozen=True)
class JudgeReport:
    """The opinions of one judge, and how often it passes what the rule fails, and fails what the rule rewards."""

    judge: str
    file: Path | None
    opinions: tuple[EpisodeOpinion, ...] = field(repr=False)
    failed: int = 0  # episodes of which the model gave no usable opinion
    cost: float | None = 0.0

    @property
    def false_passes(self) -> Share:
        """Of the episodes without reward, those that the judge passes."""
        wrong = [each for each in self.opinions if not each.reward]
        return Share(sum(each.passes for each in wrong), len(wrong))

    @property
    def false_fails(self) -> Share:
        """Of the rewarded episodes, those that the judge fails."""
        right = [each for each in self.opinions if each.reward]
        return Share(sum(not each.passes for each in right), len(right))

    def as_json(self) -> dict[str, Any]:
        shares = {"false_passes": self.false_passes.as_json(), "false_fails": self.false_fails.as_json()}
        own = {"judge": self.judge, "file": self.file, "episodes": len(self.opinions), "failed": self.failed}
        return dict(plain({**own, "cost": self.cost, **shares, "opinions": self.opinions}))

    @property
    def lines(self) -> Iterator[str]:
        """The report for a person."""
        cost = "unknown cost" if self.cost is None else f"${self.cost:.2f}"
        beside = f"; {self.file}" if self.file else ""
        yield f"judge {self.judge}: {counted(len(self.opinions), 'opinion')} beside the verdicts, {cost}{beside}"
        if self.failed:
            yield f"  no usable opinion on {counted(self.failed, 'episode')}"
        yield f"  passes what the rule fails     {self.false_passes}"
        yield f"  fails what the rule rewards    {self.false_fails}"
        apart = [each for each in self.opinions if each.passes != bool(each.reward)]
        for each in apart[:_LISTED]:
            said = "passes" if each.passes else "fails"
            yield f"  {said} {each.domain}:{each.task} trial {each.trial}, reward {each.reward}"
        if len(apart) > _LISTED:
            yield f"  and {len(apart) - _LISTED} more; --json lists all of them"
        if self.opinions:
            yield f"  intervals are Wilson's at {LEVEL:.0%}, over episodes"


Played = tuple[EpisodeRecord, Task, Domain]


def ask_judge(
    spec: str,
    episodes: Iterable[Played],
    file: Path | None = None,
    sees: Sees = "talk",
    prices: Mapping[str, Price] | None = None,
) -> JudgeReport:
    """Return a judge's opinions on the episodes that have a verdict, eight questions at a time.

    With a file, its answers are kept there, and nothing is asked twice. Errors: UsageError for a judge that does not
    exist or cannot be set up, or a file of another judge.
    """
    if spec not in TOYS:
        try:
            choose_models([spec], ["judge"], prices=prices)
        except UsageError as error:
            raise UsageError(f"{str(error).rstrip('.')}, or a toy: {', '.join(TOYS)}.") from None
    asked = [each for each in episodes if each[0].reward is not None]
    requests = [_request(*each, sees) for each in asked]
    with ExitStack() as held:
        book = held.enter_context(AnswerBook.open(file, {"judge": spec})) if file else None
        if spec in TOYS:
            found: list[Answer | None] = [_toy_answer(spec, *each) for each in asked]
            for request, answer in zip(requests, found, strict=True):
                if book is not None and answer is not None and book.find(request.stage, request.key, 1) is None:
                    book.add(request, answer)
        else:
            model = choose_models([spec], ["judge"], book=book, prices=prices).of("judge")
            found = asyncio.run(_ask_all(model, requests))
    opinions = tuple(
        EpisodeOpinion(record.domain, record.task, record.trial, handled, record.reward or 0)
        for (record, task, _), answer in zip(asked, found, strict=True)
        if answer is not None and (handled := _handled(answer, task)) is not None
    )
    costs = [answer.usage.cost for answer in found if answer is not None]
    cost = None if None in costs else sum(each or 0.0 for each in costs)
    return JudgeReport(spec, file, opinions, len(asked) - len(opinions), cost)


async def _ask_all(model: Model, requests: Sequence[Request], at_once: int = 8) -> list[Answer | None]:
    free = asyncio.Semaphore(at_once)

    async def ask(request: Request) -> Answer | None:
        async with free:
            try:
                return await model.answer(request)
            except ModelFailed:
                return None

    return await asyncio.gather(*map(ask, requests))


def _handled(answer: Answer, task: Task) -> tuple[bool, ...] | None:
    """Return what an answer says of each request; None if it says it of more or fewer than there are."""
    said = tuple(bool(each["handled"]) for each in answer.content["requests"])
    return said if len(said) == len(task.user.wishes) else None


def _request(record: EpisodeRecord, task: Task, domain: Domain, sees: Sees) -> Request:
    """Return the question about one episode; its key names the episode and what is shown of it."""
    lines = []
    for message in record.messages:
        if message.role == "system" or (message.role == "tool" and sees == "talk"):
            continue
        lines += [f"{message.role.upper()}: {message.text[:_MOST_SHOWN]}"] if message.text else []
        for call in message.calls if sees == "calls" else ():
            lines.append(f"CALL: {call.name} {json.dumps(call.arguments, ensure_ascii=False)[:_MOST_SHOWN]}")
    wishes = "\n".join(f"{number}. {wish.words[0]}" for number, wish in enumerate(task.user.wishes, start=1))
    policy = f"\nThe office's policy:\n\n{domain.policy.strip()}\n" if sees == "calls" and domain.policy.strip() else ""
    prompt = f"The requests:\n\n{wishes}\n\nThe conversation:\n\n" + "\n\n".join(lines)
    digest = hashlib.sha256(prompt.encode()).hexdigest()[:12]
    return Request(
        role="judge",
        stage="judge",
        key=f"{record.domain}-{record.task}-{record.trial}-{digest}",
        attempt=1,
        prefix=_BRIEF + policy,
        prompt=prompt,
        schema=_SCHEMA,
        max_tokens=2_000,
    )


def _toy_answer(name: str, record: EpisodeRecord, task: Task, domain: Domain) -> Answer:
    handled = _TOYS[name](record, task, domain)
    content = {"requests": [{"why": f"the {name} judge", "handled": each} for each in handled]}
    return Answer(content, name, Usage(0, 0))


def _lexical(record: EpisodeRecord, task: Task, domain: Domain) -> list[bool]:
    heard = _words(_said(record))
    wanted = [{word for word in _words(wish.words[0]) if len(word) >= _SHORTEST} for wish in task.user.wishes]
    return [len(words & heard) >= _SIMILAR * len(words) for words in wanted]


def _polite(record: EpisodeRecord, task: Task, domain: Domain) -> list[bool]:
    heard = _words(_said(record))
    return ["done" in heard and "sorry" not in heard] * len(task.user.wishes)


def _busy(record: EpisodeRecord, task: Task, domain: Domain) -> list[bool]:
    called = {call.tool for _, call in accepted_calls(record.messages)}
    wrote = any(not domain.tools[name].read_only and not is_desk_tool(name) for name in called if name in domain.tools)
    return [wrote] * len(task.user.wishes)


_TOYS: Mapping[str, Callable[[EpisodeRecord, Task, Domain], list[bool]]] = {
    "lexical": _lexical,
    "polite": _polite,
    "busy": _busy,
}


def _said(record: EpisodeRecord) -> str:
    return "\n".join(message.text for message in record.messages if message.by_agent)


def _words(text: str) -> set[str]:
    return {word.strip(".,;:!?()'\"").casefold() for word in text.split()}
