"""What `worldsmith show --card` writes of a domain in Markdown: rules, conversations as they are played, pass rates."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.plan import RunConfig, place_of
from runtime.harness.evaluation.rates import FILE, by_player, digests_of, fresh_rates, mean_rate, read_rates
from runtime.harness.evaluation.run import bind_play
from runtime.harness.messages import Message
from runtime.harness.record import EpisodeRecord
from runtime.sandbox.files import replacing
from runtime.task.task import Task, start_world
from runtime.wording import counted

_SAMPLES = 3  # conversations on a card
_LEVELS = range(1, 6)


def put_card(path: Path, name: str, card: str) -> None:
    """Put a card into a Markdown file, between the two marks of its domain; errors: UsageError if it has none."""
    first, last = f"<!-- card of {name} -->", f"<!-- end of the card of {name} -->"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{str(path)!r} cannot be read as Markdown: {error}.") from error
    before, found, rest = text.partition(f"{first}\n")
    _, ended, after = rest.partition(last)
    if not found or not ended:
        raise UsageError(f"{str(path)!r} has no place for the card; write the lines {first!r} and {last!r} there.")
    with replacing(path) as file:
        file.write(f"{before}{found}{card}{last}{after}".encode())


def write_card(domain: Domain, tasks: Mapping[str, Task]) -> str:
    """Return the card of a domain, playing its samples.

    Errors: UsageError where its rates or a sample's world are not valid; EnvironmentFault.
    """
    return "\n".join(_card_lines(domain, tasks)) + "\n"


def _card_lines(domain: Domain, tasks: Mapping[str, Task]) -> Iterator[str]:
    writing = sum(bool(tool.writes) for tool in domain.tools.values())
    levels = Counter(task.level for task in tasks.values() if task.level is not None)
    forms = Counter(form for task in tasks.values() for form in {wish.form for wish in task.user.wishes})
    counts = counted(len(tasks), "task")
    if levels:
        counts += " (" + ", ".join(f"{levels[level]} of level {level}" for level in sorted(levels)) + ")"
    if len(forms) > 1:
        counts += "; with a wish of the form " + ", ".join(f"{form} {count}" for form, count in sorted(forms.items()))
    yield from (f"### {domain.card.title} (`{domain.name}`)", "")
    yield from (f"{domain.card.summary} The clock stands at {domain.now}.", "")
    yield (
        f"{counted(len(domain.schema.tables), 'table')}; {counted(len(domain.tools), 'tool')}, of which {writing} "
        f"write; {counts}."
    )
    yield ""
    if domain.rules:
        yield from ("**Rules** that the tools do not enforce, and duties that hold at the end:", "")
        yield from (f"- `{rule.code}`: {rule.prose}" for rule in domain.rules.rules)
        yield from (f"- `{duty.code}` (duty): {duty.prose}" for duty in domain.rules.duties)
    else:
        yield "**Rules**: none but what its tools refuse by themselves."
    samples = _samples(tasks)
    if samples:
        yield from ("", "**Conversations**, as the reference agent and the scripted user have them:")
    for task in samples:
        level = f", level {task.level}" if task.level is not None else ""
        forms_of_task = ", ".join(dict.fromkeys(wish.form for wish in task.user.wishes))
        yield from ("", f"`{task.id}`{level} ({forms_of_task}):", "")
        yield "\n>\n".join(f"> {line}" for line in _spoken(_play(domain, task).messages))
    yield ""
    yield from _rates(domain, tasks)


def _samples(tasks: Mapping[str, Task]) -> list[Task]:
    """Return tasks of the lowest level and of the two highest; where no levels are stated, any."""
    drawn = sorted(tasks.values(), key=lambda task: place_of(1, task.domain, task.id))
    levels = sorted({task.level for task in drawn if task.level is not None})
    wanted = dict.fromkeys([*levels[:1], *levels[1:][-(_SAMPLES - 1) :]])
    found = [next(task for task in drawn if task.level == level) for level in wanted]
    others = [task for task in drawn if task not in found]
    return [*found, *others[: _SAMPLES - len(found)]]


def _play(domain: Domain, task: Task) -> EpisodeRecord:
    """Play the reference agent; errors: EnvironmentFault if it is not rewarded."""
    play, world = bind_play(RunConfig("reference", transport="session")), start_world(task, domain)

    async def played() -> EpisodeRecord:
        return await play(task, domain, world, 0)

    record = asyncio.run(played())
    if record.reward != 1:
        why = record.why or next((each.sentence for each in record.differences), record.reason)
        raise EnvironmentFault(f"The reference agent does not solve task {task.id!r}: {why}")
    return record


def _spoken(messages: Iterable[Message]) -> Iterator[str]:
    """Return what is said and called, one line each; consecutive calls share one."""
    calls: list[str] = []
    for message in messages:
        if message.role not in ("user", "assistant"):
            continue
        if message.text.strip():
            if calls:
                yield f"*The agent calls {', '.join(calls)}.*"
            calls = []
            yield f"**{'User' if message.role == 'user' else 'Agent'}:** {' '.join(message.text.split())}"
        calls += [f"`{call.name}`" for call in message.calls]
    if calls:
        yield f"*The agent calls {', '.join(calls)}.*"


def _rates(domain: Domain, tasks: Mapping[str, Task]) -> Iterator[str]:
    """Return the agents measured on the tasks as they are now, by the rates in the domain's folder."""
    digests = digests_of({(domain.name, name): task for name, task in tasks.items()}, {domain.name: domain.digest})
    players = by_player(fresh_rates(read_rates(domain.path / FILE), digests))
    if not players:
        yield f"**Pass rates**: not measured; `worldsmith calibrate {domain.name} --agent A` measures them."
        return
    yield from ("**Pass rates** (mean over tasks):", "")
    yield f"| agent | user | tasks | trials | all | {' | '.join(f'level {level}' for level in _LEVELS)} |"
    yield f"| --- | --- | --- | --- | --- | {' | '.join('---' for _ in _LEVELS)} |"
    for player, rates in players.items():
        by_level = [[rate for rate in rates if rate.level == level] for level in _LEVELS]
        means = [f"{mean_rate(each):.3f}" if each else "" for each in [rates, *by_level]]
        user = player.user if player.policy else f"{player.user}, without the policy"
        cells = [player.agent.replace("|", "\\|"), user, str(len(rates)), str(sum(rate.n for rate in rates)), *means]
        yield f"| {' | '.join(cells)} |"
