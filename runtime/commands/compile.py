"""`worldsmith compile`: make domains servers of their own, each as a directory and as a bundle."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from runtime.commands.progress import Progress
from runtime.compiling.bundle import check_bundle, make_bundle, write_bundle
from runtime.compiling.directory import check_directory, compile_domain, write_directory
from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.errors import UsageError
from runtime.terminal import print_lines
from runtime.wording import counted


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "compile",
        help="write a standalone server and a desktop bundle of each domain (no model needed)",
        description="Write DIR/NAME/ with a server.py that runs without worldsmith, and DIR/NAME.mcpb with the same "
        "for desktop clients. Neither holds a task, a case or an answer.",
    )
    parser.add_argument("domain", nargs="+", help="name or path of a domain")
    parser.add_argument("--out", type=Path, metavar="DIR", required=True, help="folder to write to")
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write every server, or none if one of the places is taken."""
    domains = [find_domain(name) for name in arguments.domain]
    names = [domain.name for domain in domains]
    if len(set(names)) < len(names):
        raise UsageError("a domain is named twice")
    for name in names:
        check_directory(arguments.out / name)
        check_bundle(arguments.out / f"{name}.mcpb")
    with Progress("compiling", len(domains)) as progress:
        rows = []
        for domain in domains:
            rows.append(_write(domain, arguments.out))
            progress.advance()
    if arguments.json:
        json.dump({"compiled": rows}, sys.stdout, indent=2, ensure_ascii=False)
        print()
        return 0
    for row in rows:
        print_lines([f"{row['domain']} {row['version']} (digest {row['digest'][:12]})"])
        print(f"  {row['directory']}: {counted(row['files'], 'file')}, {row['bytes'] / 1024:.0f} KiB")
        print(f"  {row['bundle']}: {row['bundle_bytes'] / 1024:.0f} KiB")
    return 0


def _write(domain: Domain, out: Path) -> dict[str, Any]:
    """Write one server and its bundle, and say what they are."""
    files = compile_domain(domain)
    bundle = make_bundle(domain, files)
    directory, bundle_file = out / domain.name, out / f"{domain.name}.mcpb"
    write_directory(directory, files)
    write_bundle(bundle_file, bundle)
    return {
        "domain": domain.name,
        "version": domain.card.version,
        "digest": domain.digest,
        "directory": str(directory),
        "files": len(files),
        "bytes": sum(map(len, files.values())),
        "bundle": str(bundle_file),
        "bundle_bytes": len(bundle),
    }
