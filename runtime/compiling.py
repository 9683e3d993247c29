"""Compile a domain into the directory of a standalone server, and into the .mcpb bundle of a desktop client."""

from __future__ import annotations

import ast
import io
import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import requires, version
from pathlib import Path
from string import Template
from typing import Any

import runtime
from runtime.domain.domain import Domain, refuse_unverified
from runtime.domain.load import SERVED
from runtime.domain.tool import first_sentence
from runtime.errors import UsageError
from runtime.sandbox.files import is_there, read_bytes, replacing
from runtime.server.standalone import CARD, DOMAIN, FORMAT
from runtime.session.world import DEFAULT_SIZE

ENTRY, RULES_FACE = "runtime.server.standalone", "runtime.rules"  # what serves, and what a rules.py imports
LEAST_PYTHON = "3.11"
UNFILLED = "FILL IN"  # what a draft has wherever a person must write something
_PACKAGES = ("aiosqlite", "mcp", "pydantic")
_ROOT = Path(runtime.__file__).resolve().parent.parent
_TABLE = re.compile(r"\w+\.(json|toml|md)")

_STARTER = Template('''\
# /// script
# requires-python = ">=$python"
# dependencies = [
$dependencies
# ]
# ///
"""An MCP server of the domain beside it, compiled by worldsmith $worldsmith.

    python server.py --help     where aiosqlite, mcp and pydantic are installed
    uv run server.py --help     where nothing is installed but uv

Change nothing here: change the domain and compile it again. `runtime` is under the Apache License 2.0.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    try:
        from runtime.server.standalone import main
    except ModuleNotFoundError as error:
        install = f'{sys.executable} -m pip install $packages'
        sys.exit(f"error: the package {error.name!r} is not installed; run: {install}")
    sys.exit(main(Path(__file__).resolve().parent))
''')


def compile_domain(domain: Domain) -> dict[str, bytes]:
    """Return the files of a domain's compiled server by path; the same domain gives the same bytes.

    Errors: UsageError for a draft with parts that nobody filled in.
    """
    starter = _STARTER.substitute(
        python=LEAST_PYTHON,
        dependencies="\n".join(f'#     "{requirement}",' for requirement in requirements()),
        worldsmith=version("worldsmith"),
        packages=" ".join(f'"{requirement}"' for requirement in requirements()),
    )
    files = {"server.py": starter.encode()}
    for name, content in domain_files(domain).items():
        for number, line in enumerate(content.splitlines(), 1):
            if UNFILLED.encode() in line:
                raise UsageError(f"{name} is a draft: line {number} says {UNFILLED!r}; write what it asks for first.")
        files[f"{DOMAIN}/{name}"] = content
    for name, path in (import_closure(ENTRY) | import_closure(RULES_FACE)).items():
        files[name] = _plain(path.read_bytes())
    card = {
        "format": FORMAT,
        "domain": domain.name,
        "version": domain.card.version,
        "digest": domain.digest,
        "worldsmith": version("worldsmith"),
        "title": domain.card.title,
        "files": sorted(files),
    }
    files[CARD] = json.dumps(card, ensure_ascii=False, indent=1).encode() + b"\n"
    return dict(sorted(files.items()))


def domain_files(domain: Domain) -> dict[str, bytes]:
    """Return the files of a domain that serving needs, by their path below its folder; errors: UsageError."""
    refuse_unverified(domain.name, domain.card.unverified, "compiled or exported")
    paths = [domain.path / name for name in SERVED] + sorted((domain.path / "tools").glob("*.py"))
    return {path.relative_to(domain.path).as_posix(): _plain(read_bytes(path)) for path in paths if is_there(path)}


def requirements(packages: Sequence[str] = _PACKAGES) -> list[str]:
    """Return these packages in the versions that worldsmith itself asks for."""
    return sorted(each for each in requires("worldsmith") or () if each.startswith(tuple(packages)) and ";" not in each)


def import_closure(entry: str, packages: Sequence[str] = ("runtime",)) -> dict[str, Path]:
    """Return the files of our packages that a module imports, now or later, and the tables that they name."""
    pending, files = [entry], dict[str, Path]()
    while pending:
        place = _ROOT.joinpath(*pending.pop().split("."))
        path = next((each for each in (place.with_suffix(".py"), place / "__init__.py") if each.is_file()), None)
        if path is None or path.relative_to(_ROOT).as_posix() in files:
            continue
        files[path.relative_to(_ROOT).as_posix()] = path
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _TABLE.fullmatch(node.value):
                table = path.with_name(node.value)
                files |= {table.relative_to(_ROOT).as_posix(): table} if table.is_file() else {}
            pending += _modules_named(node, packages)
    return dict(sorted(files.items()))


def check_place(path: Path) -> None:
    """Refuse a place that holds anything but an earlier compiled server or bundle; errors: UsageError."""
    if path.suffix == ".mcpb":
        if path.exists() and not zipfile.is_zipfile(path):
            raise UsageError(f"{str(path)!r} is not a bundle; move it away, or pass another --out.")
    elif path.exists() and not (path / CARD).is_file() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{str(path)!r} is not what compile wrote; move it away, or pass another --out.")


def write_place(path: Path, content: Mapping[str, bytes] | bytes) -> None:
    """Put files of a folder or a bundle in place, whole or not at all, for an earlier one; errors: UsageError."""
    check_place(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            with replacing(path) as file:
                file.write(content)
            return
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as building:
            new = Path(building) / "new"
            for name, each in content.items():
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                (new / name).write_bytes(each)
            if path.exists():
                shutil.rmtree(path)
            new.rename(path)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from error


def _modules_named(node: ast.AST, packages: Sequence[str]) -> Iterator[str]:
    """Yield the modules of these packages that a statement imports, and the packages they lie in."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    for parts in (name.split(".") for name in names):
        if parts[0] in packages:
            yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))


def _plain(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


MANIFEST_VERSION = "0.4"  # the first that lets the client bring Python and the packages, by way of uv
_PYTHON = f">={LEAST_PYTHON}"
_MOMENT = (2026, 1, 1, 0, 0, 0)  # of every file, so that the same files give the same bytes


def make_bundle(domain: Domain, files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of a compiled server's files with a manifest, an icon and a pyproject.toml."""
    manifest = json.dumps(make_manifest(domain), ensure_ascii=False, indent=2)
    content = {
        **files,
        "manifest.json": f"{manifest}\n".encode(),
        "icon.png": Path(__file__).with_name("icon.png").read_bytes(),
        "pyproject.toml": _project_of(domain).encode(),
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as bundle:
        for name, data in sorted(content.items()):
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, wherever it is made
            entry.external_attr = 0o644 << 16
            bundle.writestr(entry, data)
    return archive.getvalue()


def make_manifest(domain: Domain) -> dict[str, Any]:
    """Return what the client shows and asks before it installs the server, and how it starts it."""
    rows = "given rows, which may be about real people," if domain.card.real_rows else "made-up rows"
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": f"worldsmith-{domain.name.replace('_', '-')}",
        "display_name": domain.card.title,
        "version": domain.card.version,
        "description": domain.card.summary,
        "long_description": f"{domain.card.summary}\n\nA world to try things out in: a database with {rows} "
        f"behind {len(domain.tools)} tools. Nothing outside it is touched. Its clock is frozen at {domain.now}.",
        "author": {"name": "Worldsmith"},
        "icon": "icon.png",
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {
                "command": "uv",
                "args": [
                    *("run", "--directory", "${__dirname}", "server.py"),
                    *("--size=${user_config.world_size}", "--state=${user_config.state_folder}"),
                    "--debug=${user_config.debug}",
                ],
            },
        },
        "tools": [
            {"name": tool.name, "description": first_sentence(tool.description)} for tool in domain.tools.values()
        ],
        "keywords": ["worldsmith", "sandbox", domain.name],
        "compatibility": {"platforms": ["darwin", "win32", "linux"], "runtimes": {"python": _PYTHON}},
        "user_config": {
            "world_size": {
                "type": "number",
                "title": "World size",
                "description": "About how many rows the database starts with.",
                "default": DEFAULT_SIZE,
                "min": 1,
                "max": 100_000,
                "required": False,
            },
            "state_folder": {
                "type": "directory",
                "title": "State folder",
                "description": "Where the database is kept, one for each world size. "
                "Left empty, it is in memory and starts afresh each time.",
                "required": False,
            },
            "debug": {
                "type": "boolean",
                "title": "Tools for people",
                "description": "Add tools that show what changed and which rules were broken, and that reset.",
                "default": False,
                "required": False,
            },
        },
    }


def _project_of(domain: Domain) -> str:
    """Return what uv reads of a bundle of type `uv`; the versions that matter are in server.py, too."""
    version = domain.card.version if re.fullmatch(r"\d+(\.\d+)*", domain.card.version) else "0"
    dependencies = "".join(f'    "{requirement}",\n' for requirement in requirements())
    return (
        f'[project]\nname = "worldsmith-{domain.name.replace("_", "-")}"\nversion = "{version}"\n'
        f'requires-python = "{_PYTHON}"\ndependencies = [\n{dependencies}]\n'
    )
