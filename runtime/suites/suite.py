"""A suite file: which domains, and which tasks of each, are evaluated and trained on as one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.domain.find import named_folders
from runtime.errors import UsageError
from runtime.harness.evaluation.plan import Split
from runtime.sandbox.files import MIB, read_text
from runtime.wording import have

FORMAT = 1
MOST_DOMAINS = 1_000
_MOST_BYTES = 16 * MIB

Level = Annotated[int, Field(ge=1, le=5)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


class _SuitePart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SuiteMember(_SuitePart):
    """Which tasks of one domain are in a suite: all, some by id, so many, or so many of each level.

    `path` is the domain's folder and `file` one of tasks, both as seen from the suite's own folder; without `path` the
    domain is looked up by its name, without `file` its tasks are those of its `tasks.jsonl`.
    """

    path: str = ""
    file: str = ""
    tasks: list[str] = []
    split: Split | None = None
    levels: list[Level] = []
    count: Count | None = None
    counts: dict[Level, Count] = {}  # by level


class _SuiteContent(_SuitePart):
    format: Literal[1]
    title: str = Field("", max_length=100)
    seed: int = Field(1, ge=-(2**63), lt=2**63)  # of the choice of so many
    domains: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")], SuiteMember] = Field(
        min_length=1, max_length=MOST_DOMAINS
    )


@dataclass(frozen=True)
class SuiteFile:
    """A suite as its file has it; `name` is that of the file."""

    path: Path
    name: str
    title: str
    seed: int
    members: Mapping[str, SuiteMember]


def read_suite(words: str | Path) -> SuiteFile:
    """The suite of a file, or of a name: in `./domains`, then among those that the package carries.

    Errors: UsageError with the first thing in the file that is not valid.
    """
    path = _place_of(str(words))
    text = read_text(path, _MOST_BYTES)
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{str(path)!r} is not TOML: {error}.") from None
    try:
        file = _SuiteContent.model_validate(content)
    except ValidationError as error:
        raise UsageError(f"{str(path)!r} is not a suite: {_first_fault(error, content)}.") from None
    for name, member in file.domains.items():
        _check_member(path, name, member)
    return SuiteFile(path, path.stem, file.title, file.seed, file.domains)


def known_suites() -> dict[str, Path]:
    """Every suite that a name can mean; the nearest folder wins."""
    found: dict[str, Path] = {}
    for root in named_folders():
        for path in sorted(root.glob("*.toml")):
            found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def _place_of(words: str) -> Path:
    path = Path(words)
    if path.is_dir():
        raise UsageError(f"{words!r} is a folder, not a suite; a suite is a file in TOML.")
    if path.suffix == ".toml" or "/" in words or "\\" in words:
        if not path.exists():
            raise UsageError(f"There is no suite {words!r}; have: {', '.join(known_suites()) or 'none'}.")
        return path
    known = known_suites()
    if words not in known:
        raise UsageError(f"no suite {words!r}; {have(words, known)}")
    return known[words]


def _first_fault(error: ValidationError, content: Mapping[str, Any]) -> str:
    """The first thing that is not valid, as the rest of a sentence."""
    first = error.errors(include_url=False)[0]
    place = [str(part) for part in first["loc"] if part != "[key]"]
    where = ".".join(place)
    if first["type"] == "extra_forbidden":
        of_member = len(place) > 1
        names = SuiteMember.model_fields if of_member else _SuiteContent.model_fields
        return f"{where!r} is not known here; {have(place[-1], names)}"
    if first["type"] == "missing":
        example = f"{where} = {FORMAT}" if where == "format" else "[domains.NAME]"
        return f"it has no {where!r}; write {example!r}"
    if first["type"] == "literal_error" and where == "format":
        return f"its format is {content['format']!r}; this version reads {FORMAT}"
    if first["loc"][-1] == "[key]" and not re.search(r"\.counts\.", where):
        return f"{place[-1]!r:.100} cannot be the name of a domain"
    given = f" (it is {first['input']!r:.80})" if not isinstance(first["input"], dict | list) else ""
    said = str(first["msg"]).replace("valid dictionary", "table").replace("valid list", "list")
    return f"{where}: {said[0].lower()}{said[1:]}{given}"


def _check_member(path: Path, name: str, member: SuiteMember) -> None:
    """Refuse what cannot hold together; errors: UsageError."""
    where = f"{str(path)!r} is not a suite: domains.{name}"
    among = [key for key in ("split", "levels", "count", "counts") if getattr(member, key)]
    if member.tasks and among:
        raise UsageError(f"{where} names its tasks; {among[0]!r} would choose among all, so give one or the other.")
    both = [key for key in ("levels", "count") if getattr(member, key)]
    if member.counts and both:
        raise UsageError(f"{where} has 'counts' by level and {both[0]!r}; give one or the other.")
    twice = (
        [each for each in member.tasks if member.tasks.count(each) > 1]
        if len(set(member.tasks)) < len(member.tasks)
        else []
    )
    if twice:
        raise UsageError(f"{where}.tasks: task {twice[0]!r} appears twice.")
