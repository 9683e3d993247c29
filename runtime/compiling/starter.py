"""The `server.py` of a compiled server: what it needs, whose it is, and how it starts the runtime beside it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import requires, version
from string import Template

from runtime.domain.domain import Domain
from runtime.wording import printable

LEAST_PYTHON = (3, 11)
PACKAGES = ("aiosqlite", "mcp", "pydantic")
_TEMPLATE = Template('''\
# /// script
# requires-python = ">=$python"
# dependencies = [
$dependencies
# ]
# ///
"""An MCP server of a domain, compiled by worldsmith $worldsmith: $name.

Digest of the domain: $digest.
The folder `runtime` is part of worldsmith, under the Apache License 2.0.

    python server.py --help     where $packages are installed
    uv run server.py --help     where nothing is installed but uv
"""

import sys
from pathlib import Path

VERSION = "$version"
FOLDER = Path(__file__).resolve().parent


def start():
    if "--version" in sys.argv[1:]:
        print(VERSION)
        return 0
    if sys.version_info < ($least):
        print("error: this server needs Python $python or newer; or run: uv run server.py", file=sys.stderr)
        return 2
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    try:
        from runtime.server.standalone import main

        return main(FOLDER)
    except ModuleNotFoundError as error:
        install = f'{sys.executable} -m pip install $packages_to_install'
        print(f"error: the package {error.name!r} is not installed; run: {install}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(start())
''')


_README = Template("""\
# $title

An MCP server of the domain `$name`, compiled by worldsmith. It needs Python $python or newer and these packages:

$packages

    python server.py                   serves one session over stdio
    python server.py --http            serves many over HTTP
    python server.py --strict          refuses what the domain's rules forbid, where it has any
    python server.py --debug           adds tools that show changes and reset
    python server.py --help            worlds, state folders, addresses
    uv run server.py                   the same, where only uv is installed

Change nothing here: change the domain and compile it again. `runtime` is under the Apache License 2.0.
""")


def write_starter(domain: Domain) -> str:
    """The text of `server.py`."""
    return _TEMPLATE.substitute(
        python=".".join(map(str, LEAST_PYTHON)),
        least=", ".join(map(str, LEAST_PYTHON)),
        dependencies="\n".join(f'#     "{requirement}",' for requirement in requirements()),
        name=_quoted(printable(f"{domain.name} {domain.card.version}")),
        digest=domain.digest,
        version=_quoted(printable(describe_version(domain))),
        worldsmith=version("worldsmith"),
        packages=f"{', '.join(PACKAGES[:-1])} and {PACKAGES[-1]}",
        packages_to_install=" ".join(f'"{requirement}"' for requirement in requirements()),
    )


def write_readme(domain: Domain) -> str:
    """The text of `README.md`, for whoever finds the folder."""
    return _README.substitute(
        name=printable(domain.name),
        title=printable(domain.card.title),
        python=".".join(map(str, LEAST_PYTHON)),
        packages="\n".join(f"    {requirement}" for requirement in requirements()),
    )


def describe_version(domain: Domain) -> str:
    """The domain's name, version and digest on one line."""
    return f"{domain.name} {domain.card.version} (digest {domain.digest})"


def requirements() -> list[str]:
    """The packages that serving needs, in the versions that worldsmith itself asks for."""
    return sorted(_serving_requirements())


def _serving_requirements() -> Iterator[str]:
    for requirement in requires("worldsmith") or ():
        if requirement.startswith(PACKAGES) and ";" not in requirement:
            yield requirement


def _quoted(text: str) -> str:
    """A text as it stands between double quotes."""
    return text.encode("unicode_escape").decode().replace('"', '\\"')
