"""A suite as the text of its file, in TOML: one entry for each domain, with the ids of its tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tomlkit

from runtime.suites.suite import FORMAT

FIRST_LINE = "# A suite, written by `worldsmith suite split`."


def write_suite(title: str, tasks: Mapping[str, Sequence[str]], places: Mapping[str, Mapping[str, str]]) -> str:
    """The text of a suite of these tasks by domain; `places` are `path` and `file` of domains that have some."""
    document = tomlkit.document()
    document.add(tomlkit.comment(FIRST_LINE.removeprefix("# ")))
    document.add("format", tomlkit.item(FORMAT))
    document.add("title", tomlkit.item(title))
    domains = tomlkit.table(is_super_table=True)
    for name, ids in tasks.items():
        entry = tomlkit.table()
        for key, value in places.get(name, {}).items():
            entry.add(key, value)
        entry.add("tasks", tomlkit.array().multiline(multiline=True))
        entry["tasks"].extend(ids)
        domains.add(name, entry)
    document.add("domains", domains)
    return tomlkit.dumps(document)
