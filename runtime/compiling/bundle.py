"""The `.mcpb` bundle of a compiled server, for installation in a desktop client with one click."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runtime.compiling.directory import LEAST_PYTHON, requirements
from runtime.domain.domain import Domain
from runtime.domain.tool import first_sentence
from runtime.errors import UsageError
from runtime.server.standalone import CARD
from runtime.session.opening import DEFAULT_SIZE

MANIFEST_VERSION = "0.4"  # the first that lets the client bring Python and the packages, by way of uv
_PYTHON = f">={LEAST_PYTHON}"
_MOMENT = (2026, 1, 1, 0, 0, 0)  # of every file, so that the same files give the same bytes


def make_bundle(domain: Domain, files: Mapping[str, bytes]) -> bytes:
    """A zip archive of a compiled server's files with a manifest, an icon and a pyproject.toml."""
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
    """What the client shows and asks before it installs the server, and how it starts it."""
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": f"worldsmith-{domain.name.replace('_', '-')}",
        "display_name": domain.card.title,
        "version": domain.card.version,
        "description": domain.card.summary,
        "long_description": (
            f"{domain.card.summary}\n\nA world to try things out in: a database with made-up rows behind "
            f"{len(domain.tools)} tools. Nothing outside it is touched. Its clock stands at {domain.now}.\n\n"
            f"Domain {domain.name} {domain.card.version}, digest {domain.digest}."
        ),
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


def check_bundle(path: Path) -> None:
    """Refuse a place that holds anything but a bundle; errors: UsageError."""
    if not path.exists():
        return
    try:
        with zipfile.ZipFile(path) as bundle:
            bundle.getinfo(CARD)
    except (OSError, KeyError, zipfile.BadZipFile):
        raise UsageError(
            f"{str(path)!r} is not a bundle that compile wrote; move it away, or pass another --out."
        ) from None


def write_bundle(path: Path, content: bytes) -> None:
    """Put a bundle in place, whole or not at all, instead of an earlier one; errors: UsageError."""
    check_bundle(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        building = path.with_name(f".{path.name}.{os.getpid()}.new")
        building.write_bytes(content)
        os.replace(building, path)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from error


def _project_of(domain: Domain) -> str:
    """What uv reads of a bundle of type `uv`; the versions that matter stand in server.py, too."""
    version = domain.card.version if re.fullmatch(r"\d+(\.\d+)*", domain.card.version) else "0"
    dependencies = "".join(f'    "{requirement}",\n' for requirement in requirements())
    return (
        f'[project]\nname = "worldsmith-{domain.name.replace("_", "-")}"\nversion = "{version}"\n'
        f'requires-python = "{_PYTHON}"\ndependencies = [\n{dependencies}]\n'
    )
