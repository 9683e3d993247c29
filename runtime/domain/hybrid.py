"""Several domains as one: the offices that one assistant serves in an episode, tools and tables under prefixes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.people import MARK, People
from runtime.domain.policies import Policies
from runtime.domain.rule import Rulebook
from runtime.domain.schema import Schema
from runtime.errors import EnvironmentFault, UsageError
from runtime.sandbox.files import is_there
from runtime.wording import counted

JOINER = "+"
"""Stands between the names of the parts of a hybrid domain, and between their folders in its path."""
MOST_PARTS = 4


@dataclass(frozen=True, eq=False)
class HybridDomain(Domain):
    """Two to four domains as one; `parts` are these by prefix, such as "library__"."""

    parts: Mapping[str, Domain] = field(kw_only=True, repr=False)

    @cached_property
    def owners(self) -> Mapping[str, tuple[str, str]]:
        """For each tool its part's prefix, and its name there."""
        return {prefix + name: (prefix, name) for prefix, part in self.parts.items() for name in part.tools}

    @property
    def desks(self) -> Mapping[str, People]:
        """Who calls each part, by prefix; the table has its prefix, too."""
        return {
            prefix: people.model_copy(update={"table": prefix + people.table})
            for prefix, part in self.parts.items()
            if (people := part.people) is not None
        }


def unite(parts: Sequence[Domain]) -> HybridDomain:
    """Return domains as one; errors: UsageError where they are too few or too many, or two have one name."""
    names = [part.name for part in parts]
    if not 2 <= len(parts) <= MOST_PARTS:
        raise UsageError(f"{JOINER.join(names)!r} joins {counted(len(parts), 'domain')}; it can be 2 to {MOST_PARTS}.")
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UsageError(f"{JOINER.join(names)!r} has {twice!r} twice; two offices need different names.")
    if abroad := next((part for part in parts if part.locale != parts[0].locale), None):
        places = f"{parts[0].locale.place} and {abroad.name!r} in {abroad.locale.place}"
        raise UsageError(f"{parts[0].name!r} is in {places}; offices that are joined have one locale.")
    by_prefix = {part.name + MARK: part for part in parts}
    tables = {
        prefix + table.name: replace(
            table,
            name=prefix + table.name,
            foreign_keys=tuple(replace(key, parent=prefix + key.parent) for key in table.foreign_keys),
        )
        for prefix, part in by_prefix.items()
        for table in part.schema.tables.values()
    }
    columns = {
        f"{prefix}{table}.{column}": policy
        for prefix, part in by_prefix.items()
        for table, own in part.policies.by_table.items()
        for column, policy in own.items()
    }
    logs = {prefix + log: "" for prefix, part in by_prefix.items() for log in part.policies.logs}
    tools = {
        prefix + name: replace(
            tool,
            name=prefix + name,
            reads=frozenset(prefix + table for table in tool.reads),
            writes=frozenset(prefix + table for table in tool.writes),
        )
        for prefix, part in by_prefix.items()
        for name, tool in part.tools.items()
    }
    first, schema = parts[0], Schema("", tables)
    card = first.card.model_copy(
        update={
            "name": JOINER.join(names),
            "version": JOINER.join(part.card.version for part in parts),
            "title": ", ".join(part.card.title for part in parts),
            "summary": "\n\n".join(f"{part.card.title}: {part.card.summary.strip()}" for part in parts),
            "real_rows": any(part.card.real_rows for part in parts),
            "unverified": next((part.card.unverified for part in parts if part.card.unverified), ""),
            "conventions": [],
            "columns": columns,
            "logs": logs,
            "people": None,
            "provenance": {},
        }
    )
    return HybridDomain(
        path=join_paths([part.path for part in parts]),
        card=card,
        schema=schema,
        policies=Policies(schema, columns, logs),
        tools=tools,
        populate=_populate,
        policy="\n\n".join(_policy_of(prefix, part) for prefix, part in by_prefix.items()),
        digest=_joined(part.digest for part in parts),
        world_digest=_joined(part.world_digest for part in parts),
        rules=Rulebook(
            tuple(rule for part in parts for rule in part.rules.rules),
            tuple(duty for part in parts for duty in part.rules.duties),
        ),
        parts=by_prefix,
    )


def parts_of(path: Path) -> list[Path]:
    """Return the folders that the path of a hybrid domain names; of a domain by itself its own.

    A part that is no whole path lies beside the first one.
    """
    found: list[Path] = []
    left = ""
    for piece in str(path).split(JOINER) if not is_there(path / "domain.json") else ():
        left = f"{left}{JOINER}{piece}" if left else piece
        folder = found[0].parent / left if found else Path(left)
        if is_there(folder / "domain.json"):
            found.append(folder)
            left = ""
    return [path] if left or not found else found


def is_hybrid(name: str) -> bool:
    """True if a name or path means several domains."""
    return JOINER in name and not (Path(name) / "domain.json").exists()


def join_paths(folders: Iterable[Path]) -> Path:
    """Return the path of folders as one, of which `parts_of` finds them again."""
    first, *others = (folder.resolve() for folder in folders)
    named = [each.name if each.parent == first.parent else str(each) for each in others]
    return Path(JOINER.join([str(first), *named]))


def split_name(prefixes: Iterable[str], name: str) -> tuple[str, str]:
    """Return the prefix of a table's or tool's name, and the rest; the longest prefix counts."""
    prefix = max((each for each in prefixes if name.startswith(each)), key=len, default="")
    return prefix, name.removeprefix(prefix)


def _policy_of(prefix: str, part: Domain) -> str:
    head = f"# {part.card.title}\n\nThe tools of this office begin with `{prefix}`; what follows names them without it."
    return f"{head}\n\n{part.policy.strip()}" if part.policy.strip() else head


def _joined(digests: Iterable[str]) -> str:
    return hashlib.sha256(JOINER.join(digests).encode()).hexdigest()


def _populate(_: Any) -> None:
    raise EnvironmentFault("A hybrid domain has no world program of its own; its parts have.")
