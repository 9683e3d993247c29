"""The directory of a compiled server: server.py, the domain's serving files, and the part of the runtime they need."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from runtime.compiling.closure import import_closure
from runtime.compiling.starter import write_readme, write_starter
from runtime.domain.domain import Domain
from runtime.domain.load import SERVED
from runtime.errors import UsageError
from runtime.sandbox.files import MIB, is_there, parse_json, read_bytes
from runtime.server.listing import list_domain
from runtime.server.standalone import CARD, DOMAIN, FORMAT

ENTRY, RULES_FACE = "runtime.server.standalone", "runtime.rules"  # what serves, and what a rules.py imports
_MOST_BYTES = 64 * MIB  # of a file that an earlier compilation wrote


def compile_domain(domain: Domain) -> dict[str, bytes]:
    """The files of a domain's compiled server, by path; the same domain gives the same bytes."""
    files = {"server.py": write_starter(domain).encode(), "README.md": write_readme(domain).encode()}
    served = [domain.path / name for name in SERVED] + sorted((domain.path / "tools").glob("*.py"))
    for path in served:
        if is_there(path, within=domain.path):
            files[f"{DOMAIN}/{path.relative_to(domain.path).as_posix()}"] = _plain(read_bytes(path, within=domain.path))
    for name, path in (import_closure(ENTRY) | import_closure(RULES_FACE)).items():
        files[name] = _plain(path.read_bytes())
    card = {
        "format": FORMAT,
        "domain": domain.name,
        "version": domain.card.version,
        "digest": domain.digest,
        "worldsmith": version("worldsmith"),
        "listing": asdict(list_domain(domain)),
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())},
    }
    files[CARD] = json.dumps(card, ensure_ascii=False, indent=1).encode() + b"\n"
    return dict(sorted(files.items()))


def check_directory(path: Path) -> None:
    """Refuse a place that holds anything but a compiled server as it was written; errors: UsageError."""
    if path.parent.exists() and not path.parent.is_dir():
        raise UsageError(f"{str(path.parent)!r} is not a folder; pass another --out.")
    if not path.exists() and not path.is_symlink():
        return
    if not path.is_dir():
        raise UsageError(f"{str(path)!r} is not a folder; move it away, or pass another --out.")
    try:
        present = [file for file in sorted(path.rglob("*")) if not file.is_dir() and not _is_bytecode(file)]
        written = _files_written(path / CARD) if present else {}
        for file in present:
            name = file.relative_to(path).as_posix()
            if name not in written:
                raise UsageError(
                    f"{str(path)!r} holds {name!r}, which compile did not write; move it away, or pass another --out."
                )
            if written[name] not in ("", hashlib.sha256(read_bytes(file, _MOST_BYTES, within=path)).hexdigest()):
                raise UsageError(
                    f"{str(file)!r} was changed after compile wrote it; move it away, or pass another --out."
                )
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error


def write_directory(path: Path, files: Mapping[str, bytes]) -> None:
    """Put a compiled server in place, whole or not at all, instead of an earlier one; errors: UsageError."""
    check_directory(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            for name, content in files.items():
                file = building / "new" / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            if path.exists():
                path.rename(building / "old")
            (building / "new").rename(path)
        finally:
            if (building / "old").exists() and not path.exists():
                (building / "old").rename(path)
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from error


def _plain(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def _files_written(card: Path) -> dict[str, str]:
    """The digests of the files of an earlier compilation; none for what is not a compiled server."""
    try:
        content: Any = parse_json(read_bytes(card, _MOST_BYTES))
        return {**content["files"], CARD: ""}
    except (UsageError, ValueError, KeyError, TypeError):
        return {}


def _is_bytecode(file: Path) -> bool:
    return file.parent.name == "__pycache__" and file.suffix == ".pyc"
