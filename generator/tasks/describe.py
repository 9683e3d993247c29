"""Write a composed task down: its title, its user, what is expected, which columns are looked at more closely."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from generator.tasks.interlocks import Link, LinkKind
from generator.tasks.plan import TaskPlan, speech_of, task_id
from generator.tasks.studied_world import StudiedWorld
from generator.tasks.telling import Telling, count_touching, near_duplicates
from runtime.domain.domain import Domain
from runtime.domain.people import DECLINE, IDENTIFICATION, IDENTIFY, is_desk_tool
from runtime.task.decisions import TaskDecision
from runtime.task.origin import plain
from runtime.task.script import Script
from runtime.task.task import (
    ACCOUNT,
    Caller,
    EndCheck,
    ExpectedRow,
    Step,
    Task,
    TaskAnswer,
    WorldRecipe,
    expected_rows,
)
from runtime.task.user import KnownFact, Speech, User, Wish
from runtime.task.wishes import without_assent

_MANNERS: dict[str, Speech] = {
    "Friendly and brief.": "casual",
    "In a hurry, and answers in half sentences.": "casual",
    "Patient, and likes to be sure that everything was done.": "plain",
    "Chatty, but comes to the point when asked.": "casual",
    "Polite and a little formal.": "formal",
    "Calm, and answers exactly what is asked.": "plain",
    "A bit distracted; has the details at hand when asked for them.": "plain",
    "Matter-of-fact, and expects the same.": "formal",
}
"""How users are, and how they speak where wishes are worded for it."""
_GREETING = re.compile(
    r"^(?:(?:hi|hello|hey|greetings)(?: there| everyone| again)?|good (?:morning|afternoon|evening|day))[!,.:]+\s+",
    re.IGNORECASE,
)
_LONGEST_TITLE = 100
_NUMBER = re.compile(r"_\d+$")  # of a scenario that is one of several of a name


def build_task(
    studied: StudiedWorld,
    plan: TaskPlan,
    names: Sequence[str],
    telling: Telling,
    *,
    explorable: Sequence[str],
    chains: int,
    links: Sequence[Link] = (),
) -> Task:
    """Build the task of scenarios as they were told on a world; with links it is an expert task."""
    domain, scripts = studied.domain, telling.scripts
    changes = expected_rows(telling.changes, domain)
    texts = {text: each for script in scripts for text, each in script.texts.items()}
    checks = _checks(domain, telling)
    speech = _speech(scripts, plan.number)
    wishes = [_spoken(wish, speech) for wish in _wishes(studied, scripts)]
    user = User(profile=_profile(studied, scripts, plan.number), speech=speech, wishes=wishes)
    return Task(
        format=2,
        id=task_id(names, plan),
        domain=domain.name,
        title=_title(names),
        split=plan.split,
        world=WorldRecipe(seed=plan.world_seed, size=plan.size, ids=studied.ids, digest=f"{studied.world.digest:032x}"),
        caller=_caller(studied, telling),
        user=user,
        chain=telling.chain,
        expected=[] if checks else changes,
        checks=checks,
        may_change=_may_change(domain, scripts, changes) if checks else [],
        texts=texts,
        clock=telling.plan,
        answers=[*answers_of(scripts), *account_of(user)],
        explorable=list(explorable),
        decisions=list(_decisions(telling, links)) if links else [],
        difficulty={
            "complexity": plan.complexity,
            "steps": len(telling.chain),
            "tools": len({step.tool for step in telling.chain}),
            "tables": len({row.table for row in changes}),
            "near_duplicates": len(near_duplicates(telling.parts, domain)),
            "scenarios": len(scripts),
            **_touching(telling, domain),
            "chains": chains,
            **({"links": len(links)} if links else {}),
        },
    )


def _decisions(telling: Telling, links: Sequence[Link]) -> Iterator[TaskDecision]:
    """Yield what is to be decided for each scenario: what its rules say, its answers, and changes that depend."""
    for number, script in enumerate(telling.scripts):
        after: dict[str, list[int]] = {
            kind: sorted(
                {
                    wish
                    for link in links
                    if (link.later, link.kind) == (number, kind)
                    for wish in _done_in(telling.scripts[link.earlier])
                }
            )
            for kind in get_args(LinkKind)
        }
        for asked in script.permissions:
            wish, denied = asked.call.step.wish, bool(asked.rules)
            rule = asked.rules[0] if denied else ""
            yield TaskDecision(
                wish=wish,
                decides="denied" if denied else "allowed",
                rule=rule,
                row=plain(asked.row),
                after=after["rule"],
            )
        for answer in script.answers:
            yield TaskDecision(wish=answer.wish, decides="answer", answer=answer.name, after=after["answer"])
        for kind in ("change", "order"):
            if after[kind]:
                yield TaskDecision(wish=max(_done_in(script)), decides=kind, after=after[kind])


def _done_in(script: Script) -> set[int]:
    """Return the wishes of a scenario for which something is done, or else its last one."""
    done = {call.step.wish for call in script.calls if call.changes}
    return done or {script.first_wish + len(script.wishes) - 1}


def account_of(user: User) -> Iterator[TaskAnswer]:
    """Yield the last question, which of two requests or more were not done, so that a false claim costs the reward."""
    listed = [user.wishes[wish] for wish in user.accounted]
    undone = [str(number) for number, wish in enumerate(listed, 1) if not wish.acts or not wish.writes]
    if len(listed) > 1:
        yield TaskAnswer(name=ACCOUNT, kind="account", value=", ".join(undone) or "none", wish=len(user.wishes) - 1)


def _checks(domain: Domain, telling: Telling) -> list[EndCheck]:
    """Return what must hold at the end, where the scenarios say so; then also that the caller is identified."""
    checks = [check for script in telling.scripts for check in script.checks]
    noted = [key for table, key in telling.changes.rows if table == IDENTIFICATION]
    if checks and noted:
        values = dict(zip(domain.schema.tables[IDENTIFICATION].primary_key, noted[0], strict=True))
        own = " AND ".join(f'"{name}" = :{name}' for name in values)
        sql = f"SELECT 1 FROM {IDENTIFICATION} WHERE {own}"
        checks.append(EndCheck(claim="the caller is identified", sql=sql, values=values))
    return checks


def _may_change(domain: Domain, scripts: Sequence[Script], changes: Sequence[ExpectedRow]) -> list[str]:
    """Return what the scenarios let change, and what their calls change."""
    places = {place for script in scripts for place in script.may_change}
    for row in changes:
        if row.table not in domain.policies.logs and row.table != IDENTIFICATION:
            kind = {"added": "+", "removed": "-", "changed": ""}[row.kind]
            places |= {f"{row.table}.{name}" for name in row.columns} if not kind else {kind + row.table}
    return sorted(places)


def _touching(telling: Telling, domain: Domain) -> dict[str, int]:
    """Count the scenarios that touch another one, where one caller tells them all."""
    known = domain.people is not None and len(telling.parts) > 1
    return {"touching": count_touching(telling.parts, domain)} if known else {}


def _wishes(studied: StudiedWorld, scripts: Sequence[Script]) -> list[Wish]:
    """Return the wishes of all scripts as they are said; only the first one keeps its greeting.

    A fact belongs to the wish that tells it first. Their own name the user always knows, and says when asked.
    """
    acting = {wish for script in scripts for wish in _acting(studied, script)}
    taken = Counter((step.wish, step.tool == DECLINE) for step in _counted_steps(studied, scripts))
    known: set[tuple[Any, ...]] = set()
    name = _name_of_user(studied, scripts)
    wishes: list[Wish] = []
    said = sorted(scripts, key=lambda script: script.first_wish)
    for number, wish in enumerate(wish for script in said for wish in script.wishes):
        facts = [fact for fact in wish.facts if fact.corrects or (fact.name, fact.value, fact.said) not in known]
        known.update((fact.name, fact.value, fact.said) for fact in facts)
        words = wish.words if not number else [without_assent(without_greeting(each)) for each in wish.words]
        insists = [
            without_assent(each) if isinstance(each, str) else [without_assent(words) for words in each]
            for each in wish.insists
        ]
        takes = {"writes": taken[number, False], "refusals": taken[number, True]} if number in acting else {}
        wishes.append(
            wish.model_copy(
                update={"words": words, "insists": insists, "acts": number in acting, "facts": facts, **takes}
            )
        )
    if name and name not in [value for _, value, _ in known]:
        own = KnownFact(name="my name", value=name, said=name, withheld=True)
        wishes[0] = wishes[0].model_copy(update={"facts": [*wishes[0].facts, own]})
    return wishes


def _counted_steps(studied: StudiedWorld, scripts: Sequence[Script]) -> Iterator[Step]:
    """Yield the calls that carry requests out or refuse them."""
    for script in scripts:
        for call in script.calls:
            tool = studied.domain.tools[call.step.tool]
            if tool.writes and call.step.tool != IDENTIFY:
                yield call.step


def _speech(scripts: Sequence[Script], number: int) -> Speech:
    """Return how the user speaks, as their manner is; plain where no wish has words of its own for it."""
    worded = any(len(wish.words) > 1 for script in scripts for wish in script.wishes)
    return speech_of(number) if worded else "plain"


def _spoken(wish: Wish, speech: Speech) -> Wish:
    """Return a wish whose first wording is that of how the user speaks; the others say it again."""
    at = get_args(Speech).index(speech)
    insists = [each if isinstance(each, str) else each[min(at, len(each) - 1)] for each in wish.insists]
    words = wish.words if at >= len(wish.words) else [wish.words[at], *wish.words[:at], *wish.words[at + 1 :]]
    return wish.model_copy(update={"words": words, "insists": insists})


def _acting(studied: StudiedWorld, script: Script) -> Iterator[int]:
    """Yield the wishes that ask for a change, permitted or not; notes for the office do not count."""
    for call in script.calls:
        if call.changes and not is_desk_tool(call.step.tool):
            yield call.step.wish
    yield from (asked.call.step.wish for asked in script.permissions)
    yield from script.declined
    for number, wish in enumerate(script.wishes, script.first_wish):
        if wish.otherwise is not None or wish.insists:
            yield number


def _caller(studied: StudiedWorld, telling: Telling) -> Caller | None:
    people = studied.domain.people
    if people is None or telling.caller is None:
        return None
    role = next(script.role for script in telling.scripts if script.caller is not None)
    return Caller(table=people.table, key=list(telling.caller), role=role)


def without_greeting(words: str) -> str:
    """Words that are not the first; what follows a greeting begins with a capital."""
    rest = _GREETING.sub("", words, count=1)
    return words if rest == words or not rest else rest[0].upper() + rest[1:]


def _title(names: Sequence[str]) -> str:
    """Name the requests: "Give up a plot, renew a lease, and join a shift"."""
    words = (_NUMBER.sub("", name).strip("_").split("_") for name in names)
    *others, last = dict.fromkeys(" ".join("I" if word == "i" else word for word in each) for each in words)
    comma = "," * (len(others) > 1)
    title = f"{', '.join(others)}{comma} and {last}" if others else last
    if len(title) > _LONGEST_TITLE:
        title = f"{title[: _LONGEST_TITLE - 3]}..."
    return title[:1].upper() + title[1:]


def _profile(studied: StudiedWorld, scripts: Sequence[Script], number: int) -> str:
    manner = _manner(number)
    name = _name_of_user(studied, scripts)
    return f"{name}. {manner}" if name else manner


def _manner(number: int) -> str:
    manners = [manner for manner, speech in _MANNERS.items() if speech == speech_of(number)]
    return random.Random(f"manner of task {number}").choice(manners)


def _name_of_user(studied: StudiedWorld, scripts: Sequence[Script]) -> str | None:
    """Return the user's name, where their row has it."""
    people = studied.domain.people
    for script in scripts:
        if people is not None and script.caller is not None:
            return str((studied.row(people.table, script.caller) or {})[people.name])
    return None


def answers_of(scripts: Sequence[Script]) -> list[TaskAnswer]:
    """Return the answers of all scripts, each once."""
    answers: dict[str, TaskAnswer] = {}
    for script in scripts:
        for answer in script.answers:
            answers.setdefault(answer.model_dump_json(), answer)
    return list(answers.values())
