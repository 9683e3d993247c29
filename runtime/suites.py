"""A suite: a TOML file of domains and tasks that are evaluated and trained on as one, and its nested parts."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from runtime.domain.domain import Domain
from runtime.domain.load import find_domain, find_named, known_domains, named_folders
from runtime.errors import UsageError
from runtime.harness.evaluation.plan import ChosenTask, Split, TaskChoice, choose_tasks, draw, place_of
from runtime.sandbox.files import MIB, read_text
from runtime.task.user import Form
from runtime.wording import counted, have

FIRST_LINE = "# A suite, written by worldsmith."
_MOST_DOMAINS = 1_000
_MOST_BYTES = 16 * MIB

Content = TypeVar("Content", bound=BaseModel)
Level = Annotated[int, Field(ge=1, le=6)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


class SuiteMember(BaseModel):
    """Which tasks of one domain are in a suite: all, some by id, a number of them, or a number of each level.

    `path` is the domain's folder and `file` a file of tasks, both relative to the suite's folder; without `path` the
    domain is looked up by its name, without `file` its tasks are those of its `tasks.jsonl`. A member with `days` is
    made here first, by `worldsmith suite make`: `each` days of each number of messages at the office of the domain
    `days_of`, whose `digest` is known.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str = ""
    file: str = ""
    tasks: list[str] = []
    split: Split | None = None
    levels: list[Level] = []
    count: Count | None = None
    counts: dict[Level, Count] = {}  # by level
    days_of: str = ""
    days: list[Annotated[int, Field(ge=2, le=80)]] = []
    each: Count = 1
    seed: Annotated[int, Field(ge=0)] = 1
    digest: str = ""

    @model_validator(mode="after")
    def _check(self) -> SuiteMember:
        for one, others in (("tasks", ("split", "levels", "count", "counts")), ("counts", ("levels", "count"))):
            both = [other for other in others if getattr(self, one) and getattr(self, other)]
            if both:
                raise ValueError(f"it has {one!r} and {both[0]!r}; give one or the other")
        twice = [task for task, count in Counter(self.tasks).items() if count > 1]
        if twice:
            raise ValueError(f"task {twice[0]!r} appears twice")
        return self


_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}(\+[a-z][a-z0-9_]{0,40}){0,3}$")]  # or several with +


class _SuiteContent(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal[1]
    title: str = Field("", max_length=100)
    seed: int = Field(1, ge=-(2**63), lt=2**63)  # of the choice of tasks where there is a count
    domains: dict[_Name, SuiteMember] = Field(min_length=1, max_length=_MOST_DOMAINS)


@dataclass(frozen=True)
class SuiteFile:
    """A suite as its file states it; `name` is that of the file."""

    path: Path
    name: str
    title: str
    seed: int
    members: Mapping[str, SuiteMember]


@dataclass(frozen=True)
class MemberTasks:
    """A domain of a suite, and its tasks that are in it."""

    domain: Domain
    tasks: tuple[ChosenTask, ...] = field(repr=False)
    file: Path | None = None  # that they were read from, if not the domain's own


def read_suite(words: str | Path) -> SuiteFile:
    """Read the suite of a file, or of a name: in `./domains`, then among those that the package carries.

    Errors: UsageError with the first thing in the file that is not valid.
    """
    path = _find_suite(str(words))
    file = read_toml(path, _SuiteContent, "suite")
    return SuiteFile(path, path.stem, file.title, file.seed, file.domains)


def read_toml(path: Path, form: type[Content], what: str) -> Content:
    """Read a TOML file of a form; errors: UsageError with the first thing that is not valid in a `what`."""
    text = read_text(path, _MOST_BYTES)
    try:
        return form.model_validate(tomllib.loads(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"] if part != "[key]")
        raise UsageError(f"{str(path)!r} is not a {what}: {place}: {first['msg']}.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{str(path)!r} is not TOML: {error}.") from None


def _find_suite(words: str) -> Path:
    path = Path(words)
    known = {each.stem: each for root in reversed(named_folders()) for each in root.glob("*.toml")}
    if path.suffix != ".toml" and "/" not in words and "\\" not in words:
        if words in known:
            return known[words]
        raise UsageError(f"no suite {words!r}; {have(words, sorted(known))}")
    if not path.is_file():
        raise UsageError(f"There is no suite {words!r}, a file in TOML; have: {', '.join(sorted(known)) or 'none'}.")
    return path


def open_members(suite: SuiteFile, load: Callable[[str | Path], Domain] | None = None) -> tuple[MemberTasks, ...]:
    """Load the domains of a suite with their tasks, in the order of its file, through `load` if it is given.

    Errors: UsageError, BrokenDomain.
    """
    found, folder = [], suite.path.parent
    makes = f"`worldsmith suite make {suite.name if folder in named_folders() else suite.path}"
    for name, member in suite.members.items():
        of_path = f"{folder / member.path}/" if member.path else ""  # a path, never a name
        if member.days and name not in known_domains():
            raise UsageError(
                f"The suite {suite.name!r} has days of {member.days_of!r} that are not made yet; "
                f"{makes}` makes them here."
            )
        domain = (load or find_domain)(of_path) if of_path else (load or find_named)(name)
        if member.digest and (found_digest := digest_of_days(domain.path)) != member.digest:
            raise UsageError(
                f"The days in {str(domain.path)!r} have digest {found_digest}, not {member.digest} as in the suite "
                f"{suite.name!r}; {makes} --replace` makes them anew."
            )
        if domain.name != name:
            raise UsageError(
                f"The suite {str(suite.path)!r} has {name!r}, but {member.path!r} is the domain {domain.name!r}."
            )
        file = folder / member.file if member.file else None
        found.append(MemberTasks(domain, _choose(suite, domain, member, file), file))
    return tuple(found)


def digest_of_days(folder: Path) -> str:
    """Return a digest of the tasks of days in a domain folder; errors: UsageError."""
    return hashlib.sha256(read_text(folder / "tasks.jsonl", _MOST_BYTES).encode()).hexdigest()[:32]


def _choose(suite: SuiteFile, domain: Domain, member: SuiteMember, file: Path | None) -> tuple[ChosenTask, ...]:
    try:
        if member.tasks:
            return choose_tasks([domain], TaskChoice(file, tuple(member.tasks)))
        choice = TaskChoice(file, (), member.split, frozenset(member.levels), member.count, suite.seed)
        found = choose_tasks([domain], choice)
        drawn: list[ChosenTask] = []
        for level, count in member.counts.items():
            of_level = [each for each in found if each.task.level == level]
            if count > len(of_level):
                said = f"{counted(count, 'task')} of level {level} cannot be drawn; there are {len(of_level)}."
                raise UsageError(said)
            drawn += draw(of_level, count, suite.seed)
        return tuple(sorted(drawn, key=lambda each: each.position)) if member.counts else found
    except UsageError as error:
        raise UsageError(f"The suite {str(suite.path)!r}, domain {domain.name!r}: {error}") from None


def narrow(
    members: Iterable[MemberTasks],
    suite: str,
    split: Split | None = None,
    levels: Collection[int] = (),
    form: Form | None = None,
) -> tuple[MemberTasks, ...]:
    """Return a suite's tasks of a split, levels and a form, without domains that have none of them.

    Errors: UsageError if no task is left.
    """

    left = []
    for each in members:
        fitting = [chosen for chosen in each.tasks if split in (None, chosen.task.split)]
        fitting = [chosen for chosen in fitting if not levels or chosen.task.level in levels]
        fitting = [chosen for chosen in fitting if form in (None, *(wish.form for wish in chosen.task.user.wishes))]
        left += [replace(each, tasks=tuple(fitting))] if fitting else []
    if not left:
        of = f" of level {', '.join(map(str, sorted(levels)))}" if levels else ""
        of += f" of form {form!r}" if form else ""
        raise UsageError(f"The suite {suite!r} has no task{of}{f' in split {split!r}' if split else ''}.")
    return tuple(left)


def write_suite(title: str, tasks: Mapping[str, Sequence[str]], places: Mapping[str, Mapping[str, str]]) -> str:
    """Return the text of a suite of these tasks by domain; `places` are the `path` and `file` that a domain has."""
    lines = [FIRST_LINE, "format = 1", f"title = {_quoted(title)}"]
    for name, ids in tasks.items():
        lines += ["", f"[domains.{name}]", *(f"{key} = {_quoted(value)}" for key, value in places[name].items())]
        lines += ["tasks = [", *(f"    {_quoted(each)}," for each in ids), "]"]
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    """Return a text as a TOML string, which is written as in JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def split_suite(
    suite: SuiteFile, members: Sequence[MemberTasks], sizes: Sequence[int], count: int | None = None, seed: int = 1
) -> list[dict[str, tuple[str, ...]]]:
    """Return for each size the task ids, by domain, of the first domains of a random order, `count` tasks in all.

    Tasks are shared out evenly; domains with too few leave the rest to the others. Of a domain, a larger part has only
    tasks that the smaller parts have (ScaleEnv, figure 3). Without `count` it is the largest that every part can have.
    Errors: UsageError where a part cannot have that many.
    """
    there = {each.domain.name: each.tasks for each in members}
    order = sorted(there, key=lambda name: place_of(seed, "domain", name))
    fewest, size = min((sum(len(there[name]) for name in order[:size]), size) for size in sizes)
    count = fewest if count is None else count
    if count > fewest:
        raise UsageError(
            f"A part of {size} of the domains of {suite.name!r} cannot have {count:,} tasks: there are {fewest:,}; "
            f"give --tasks {fewest} or fewer, or --domains with larger parts only."
        )
    if count < max(sizes):
        raise UsageError(f"--tasks is {count}; a part of {max(sizes)} domains needs at least one task of each.")
    parts: list[dict[str, tuple[str, ...]]] = []
    for size in sizes:
        shares, left = dict.fromkeys(order[:size], 0), count
        while left:
            for name in [name for name in shares if shares[name] < len(there[name])][:left]:
                shares[name] += 1
                left -= 1
        drawn = {name: draw(there[name], shares[name], seed) for name in suite.members if name in shares}
        parts.append({name: tuple(each.task.id for each in tasks) for name, tasks in drawn.items()})
    return parts
