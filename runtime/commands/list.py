"""`worldsmith list`: the domains that a name can mean."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from runtime.domain.find import known_domains
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.task.task_file import read_tasks
from runtime.terminal import print_lines
from runtime.wording import counted


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("list", help="list the domains at hand (no model needed)")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per domain; 1 if one of them is broken."""
    rows: list[dict[str, Any]] = []
    broken: list[dict[str, Any]] = []
    for name, path in known_domains().items():
        try:
            domain = load_domain(path)
            rows.append(
                {
                    "domain": name,
                    "title": domain.card.title,
                    "tools": len(domain.tools),
                    "tables": len(domain.schema.tables),
                    "tasks": len(read_tasks(domain)),
                    "path": str(path),
                }
            )
        except UsageError as error:
            broken.append({"domain": name, "path": str(path), "faults": str(error).splitlines()})
    if arguments.json:
        json.dump({"domains": rows, "broken": broken}, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        for row in rows:
            counts = ", ".join(counted(row[f"{noun}s"], noun) for noun in ("tool", "table", "task"))
            print_lines([f"{row['domain']}: {row['title']}; {counts}"])
        for item in broken:
            faults = counted(len(item["faults"]), "fault")
            print_lines([f"{item['domain']}: broken, {faults}; see: worldsmith show {item['path']}"])
        if not rows and not broken:
            print("no domains; put one in ./domains")
    return 1 if broken else 0
