"""Write every dictated text of the tasks in each way, and every value of several spellings, and count rewards."""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from runtime.domain.changes import Changes, RowChange, RowName
from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.session.opening import WorldCache
from runtime.session.world import World
from runtime.task.judge import judge
from runtime.task.answer_values import told_value
from runtime.task.task import Task, expected_changes, start_world, task_policies
from runtime.task.task_file import read_tasks
from tests.trust.answers import DOMAINS, SAMPLED_SIZE, Measured, Measurement
from tests.trust.text_kinds import HONEST, HOSTILE, SPELLINGS, Writing

SAMPLED_TASKS = 6  # of a domain
_LOOKALIKES = {
    "whether": "weather", "well": "unwell", "long": "wrong", "best": "worst", "open": "closed", "before": "after",
    "latest": "oldest", "last": "first", "gladly": "badly", "chance": "change", "led": "left", "only": "hardly",
    "finished": "failed", "with": "without",
}  # fmt: skip
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_BESIDE = {
    key: other
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    for key, other in zip(row, row[1:] + row[-2], strict=True)
}


class Judging:
    """One task in its world, whose expected state is judged with something in it replaced."""

    def __init__(self, task: Task, domain: Domain, worlds: WorldCache) -> None:
        self.task, self.domain = task, domain
        self.world: World = start_world(task, domain, worlds)
        self.final = expected_changes(task, domain, self.world)
        self.policies = task_policies(task, domain)
        self._told = {answer.name: told_value(answer) for answer in task.answers}

    def reward(self, changes: Changes) -> int:
        return judge(self.task, self.domain, self.world, changes, self._told).reward

    def replaced(self, name: RowName, column: str, value: object) -> Changes:
        """The expected state with another value in a column of one of its rows."""
        change = self.final.rows[name]
        assert change.after is not None
        at = self.domain.schema.tables[name[0]].positions[column]
        changes = self.final.copy()
        after: tuple[object, ...] = (*change.after[:at], value, *change.after[at + 1 :])
        changes.rows[name] = RowChange(change.before, after)  # type: ignore[arg-type]
        return changes

    def cells(self) -> Iterator[tuple[RowName, str, str]]:
        """The texts that the task sets: row, column, text."""
        for name, change in self.final.rows.items():
            for column, at in self.domain.schema.tables[name[0]].positions.items():
                if change.after is None or (change.before is not None and change.before[at] == change.after[at]):
                    continue
                text = change.after[at]
                if isinstance(text, str) and text:
                    yield name, column, text


def measure(sample: bool = False) -> Measurement:
    """What honest and hostile writings of texts came to."""
    tries: Counter[str] = Counter()
    rewarded: Counter[str] = Counter()
    for domain in map(find_domain, DOMAINS):
        others = sorted({text for task in read_tasks(domain).values() for text in task.texts})
        for judging in judged_tasks(domain, sample):
            for name, column, text in judging.cells():
                for kind, written in _ways(judging, name, column, text, others):
                    tries[kind] += 1
                    rewarded[kind] += judging.reward(judging.replaced(name, column, written))

    def of(kinds: Sequence[Writing]) -> tuple[Measured, ...]:
        return tuple(Measured(kind.name, rewarded[kind.name], tries[kind.name]) for kind in kinds if tries[kind.name])

    return Measurement(of([*HONEST, *(kind for kinds in SPELLINGS.values() for kind in kinds)]), of(HOSTILE), 0)


def judged_tasks(domain: Domain, sample: bool) -> Iterator[Judging]:
    """The tasks of a domain that expect a change, those of one world after each other."""
    tasks = [task for task in read_tasks(domain).values() if task.expected]
    tasks.sort(key=lambda task: (task.world.size, task.world.seed))
    if sample:
        small = [task for task in tasks if task.world.size <= SAMPLED_SIZE]
        tasks = random.Random("sample").sample(small, min(SAMPLED_TASKS, len(small)))
        tasks.sort(key=lambda task: task.world.seed)
    worlds = WorldCache(1)
    return (Judging(task, domain, worlds) for task in tasks)


def _ways(judging: Judging, name: RowName, column: str, text: str, others: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The kinds that fit a cell, each with what it writes there."""
    policy = judging.policies.of(name[0], column)
    if policy.policy == "hard" and policy.spelled:
        for kind in SPELLINGS[policy.spelled]:
            yield kind.name, kind.words.format(**_spellings(text))
    if policy.policy != "semantic" or text in judging.task.texts_said("composed"):
        return
    declared = judging.task.texts.get(text)
    forms = _forms(text, declared.facts if declared else [], others)
    for kind in (*HONEST, *HOSTILE):
        marks = re.findall(r"\{(\w+)\}", kind.words)
        if all(forms[mark] for mark in marks):
            written = kind.words.format(**forms)
            if kind in HONEST or written.casefold().split() != text.casefold().split():
                yield kind.name, written


def _spellings(value: str) -> dict[str, str]:
    parts = value.split(" ")
    return {
        "joined": "".join(parts),
        "dashes": re.sub(r"[ _]", "-", value),
        "dots": ".".join(parts),
        "brackets": " ".join([parts[0], f"({parts[1]})", *parts[2:]]) if len(parts) > 2 else value,
        "upper": value.upper(),
        "lower": value.lower(),
        "capital": value[:1].upper() + value[1:],
        "words": value.replace("_", " "),
    }


def _forms(text: str, facts: Sequence[str], others: Sequence[str]) -> dict[str, str]:
    words = text.split(" ")
    middle = len(words) // 2
    small = max((word for word in words if word.isalpha() and word.islower()), key=len, default="")
    typos = _typos(small) if len(small) >= 6 else dict.fromkeys(("swapped", "dropped", "doubled", "slipped"), "")
    name = next((fact for fact in facts if fact[:1].isupper()), "")
    number = next((word for word in words if word in _NUMBERS), "")
    alike = next((word for word in words if word in _LOOKALIKES), "")
    several = len(words) > 1
    return {
        "text": text,
        "lower": text.lower(),
        "upper": text.upper(),
        "capital": text[:1].upper() + text[1:],
        "stop": text.rstrip(".!"),
        "wide": text.replace(" ", "  "),
        "broken": f"{' '.join(words[:middle])}\n{' '.join(words[middle:])}",
        "tabs": text.replace(" ", "\t"),
        "hard": text.replace(" ", "\u00a0"),
        "plain": text.replace(",", ""),
        "decomposed": unicodedata.normalize("NFD", text),
        **{way: typo and text.replace(small, typo, 1) for way, typo in typos.items()},
        "facts": ", ".join(facts) or words[-1] * several,
        "half": " ".join(words[: max(1, middle)]) * several,
        "rest": " ".join(words[middle:]) * several,
        "headless": " ".join(words[1:]),
        "tailless": " ".join(words[:-1]),
        "gapped": " ".join([*words[:middle], *words[middle + 1 :]]) * several,
        "reversed": " ".join(words[::-1]),
        "sorted": " ".join(sorted(words)),
        "negated": " ".join([words[0], "not", *words[1:]]),
        "other": next(islice((each for each in others if each[:12] != text[:12]), 1), "Nothing of the kind"),
        "renamed": name and text.replace(name, "Marlowe Shipping"),
        "renumbered": number and text.replace(number, _NUMBERS[_NUMBERS.index(number) - 1], 1),
        "lookalike": alike and " ".join(_LOOKALIKES[alike] if word == alike else word for word in words),
    }


def _typos(word: str) -> dict[str, str]:
    at = next(at for at in range(len(word) // 2 - 1, len(word)) if word[at] != word[at + 1])
    return {
        "swapped": word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        "dropped": word[:at] + word[at + 1 :],
        "doubled": word[:at] + word[at] + word[at:],
        "slipped": word[:at] + _BESIDE[word[at]] + word[at + 1 :],
    }
