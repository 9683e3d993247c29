"""The card of a domain, in Markdown: its story, its rules, three conversations as they are played, who solves how much.

What it says is read and played when it is made, so that a card that was kept can be compared with the domain.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.config import RunConfig
from runtime.harness.evaluation.plan import place_of
from runtime.harness.evaluation.rates import FILE, Conditions, Rate, digests_of, fresh_rates, mean_rate, read_rates
from runtime.harness.evaluation.workers import bind_play
from runtime.harness.messages import Message, ToolCall
from runtime.harness.record import EpisodeRecord
from runtime.sandbox.files import replacing
from runtime.task.task import Task, start_world
from runtime.wording import counted

_SAMPLES = 3
_SEED = 1  # of the choice of sample tasks
_LEVELS = range(1, 6)


def write_card(domain: Domain, tasks: Mapping[str, Task]) -> str:
    """The card; errors: UsageError where its rates or a sample's world are not as they must be, EnvironmentFault."""
    return "\n".join(_lines(domain, tasks)) + "\n"


def put_card(path: Path, name: str, card: str) -> None:
    """Put a card into a Markdown file, between the two marks of its domain; errors: UsageError if it has none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{str(path)!r} cannot be read as Markdown: {error}.") from error
    before, found, rest = text.partition(f"{first_mark(name)}\n")
    _, ended, after = rest.partition(last_mark(name))
    if not found or not ended:
        raise UsageError(
            f"{str(path)!r} has no place for the card; write the lines {first_mark(name)!r} and {last_mark(name)!r} "
            "there."
        )
    with replacing(path) as file:
        file.write(f"{before}{found}{card}{last_mark(name)}{after}".encode())


def first_mark(name: str) -> str:
    """The line before a domain's card in a Markdown file."""
    return f"<!-- card of {name} -->"


def last_mark(name: str) -> str:
    """The line behind a domain's card in a Markdown file."""
    return f"<!-- end of the card of {name} -->"


def _lines(domain: Domain, tasks: Mapping[str, Task]) -> Iterator[str]:
    writing = sum(bool(tool.writes) for tool in domain.tools.values())
    yield f"### {domain.card.title} (`{domain.name}`)"
    yield ""
    yield f"{domain.card.summary} The clock stands at {domain.now}."
    yield ""
    yield (
        f"{counted(len(domain.schema.tables), 'table')}; {counted(len(domain.tools), 'tool')}, of which {writing} "
        f"write; {_described_tasks(tasks)}."
    )
    yield ""
    yield from _rules(domain)
    samples = _samples(tasks)
    if samples:
        yield ""
        yield "**Conversations**, as the reference agent and the scripted user have them:"
    for task in samples:
        yield from _conversation(domain, task)
    yield ""
    yield from _rates(domain, tasks)


def _described_tasks(tasks: Mapping[str, Task]) -> str:
    levels = Counter(task.level for task in tasks.values() if task.level is not None)
    forms = Counter(form for task in tasks.values() for form in {wish.form for wish in task.user.wishes})
    said = counted(len(tasks), "task")
    if levels:
        said += " (" + ", ".join(f"{levels[level]} of level {level}" for level in sorted(levels)) + ")"
    if len(forms) > 1:
        said += "; with a wish of the form " + ", ".join(f"{form} {count}" for form, count in sorted(forms.items()))
    return said


def _rules(domain: Domain) -> Iterator[str]:
    if not domain.rules:
        yield "**Rules**: none but what its tools refuse by themselves."
        return
    yield "**Rules** that the tools do not enforce, and duties that hold at the end:"
    yield ""
    yield from (f"- `{rule.code}`: {rule.prose}" for rule in domain.rules.rules)
    yield from (f"- `{duty.code}` (duty): {duty.prose}" for duty in domain.rules.duties)


def _samples(tasks: Mapping[str, Task]) -> list[Task]:
    """Tasks of the lowest level, of the highest, and of the one before it; where no levels are stated, any."""
    drawn = sorted(tasks.values(), key=lambda task: place_of(_SEED, task.domain, task.id))
    levels = sorted({task.level for task in drawn if task.level is not None})
    wanted = dict.fromkeys([*levels[:1], *levels[1:][-(_SAMPLES - 1) :]])
    found = [next(task for task in drawn if task.level == level) for level in wanted]
    others = [task for task in drawn if task not in found]
    return [*found, *others[: _SAMPLES - len(found)]]


def _conversation(domain: Domain, task: Task) -> Iterator[str]:
    record = _played(domain, task)
    level = f", level {task.level}" if task.level is not None else ""
    forms = ", ".join(dict.fromkeys(wish.form for wish in task.user.wishes))
    yield ""
    yield f"`{task.id}`{level} ({forms}):"
    yield ""
    spoken = list(_spoken(record.messages))
    for number, line in enumerate(spoken):
        if number:
            yield ">"
        yield f"> {line}"


def _played(domain: Domain, task: Task) -> EpisodeRecord:
    """The episode of the reference agent; errors: EnvironmentFault if it is not rewarded."""
    play, world = bind_play(RunConfig("reference", transport="session")), start_world(task, domain)

    async def played() -> EpisodeRecord:
        return await play(task, domain, world, 0)

    record = asyncio.run(played())
    if record.reward != 1:
        why = record.why or next((each.sentence for each in record.differences), record.reason)
        raise EnvironmentFault(f"The reference agent does not solve task {task.id!r}: {why}")
    return record


def _spoken(messages: Sequence[Message]) -> Iterator[str]:
    """What is said and called, one line each; calls in a row stand in one."""
    calls: list[ToolCall] = []
    for message in messages:
        if message.role not in ("user", "assistant"):
            continue
        if message.text.strip() and calls:
            yield _called(calls)
            calls = []
        if message.text.strip():
            yield f"**{'User' if message.role == 'user' else 'Agent'}:** {' '.join(message.text.split())}"
        calls += message.calls
    if calls:
        yield _called(calls)


def _called(calls: Sequence[ToolCall]) -> str:
    return f"*The agent calls {', '.join(f'`{call.name}`' for call in calls)}.*"


def _rates(domain: Domain, tasks: Mapping[str, Task]) -> Iterator[str]:
    """Who was measured, by the rates in the domain's folder for the tasks as they are."""
    digests = digests_of({(domain.name, name): task for name, task in tasks.items()}, {domain.name: domain.digest})
    players: dict[tuple[str, str, Conditions], list[Rate]] = defaultdict(list)
    for rate in fresh_rates(read_rates(domain.path / FILE), digests):
        players[rate.player].append(rate)
    if not players:
        yield f"**Pass rates**: not measured; `worldsmith calibrate {domain.name} --agent A` measures them."
        return
    yield "**Pass rates** (mean over tasks):"
    yield ""
    yield f"| agent | user | tasks | trials | all | {' | '.join(f'level {level}' for level in _LEVELS)} |"
    yield f"| --- | --- | --- | --- | --- | {' | '.join('---' for _ in _LEVELS)} |"
    for (agent, _, conditions), rates in sorted(players.items()):
        by_level = [[rate for rate in rates if rate.level == level] for level in _LEVELS]
        means = [f"{mean_rate(each):.3f}" if each else "" for each in [rates, *by_level]]
        user = conditions.user if conditions.policy else f"{conditions.user}, without the policy"
        cells = [agent.replace("|", "\\|"), user, str(len(rates)), str(sum(rate.n for rate in rates)), *means]
        yield f"| {' | '.join(cells)} |"
