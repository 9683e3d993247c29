"""`worldsmith graph`: find the dependencies between a domain's tools again, by execution, and write `graph.json`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from generator.graph.find import find_whole_graph, write_graph
from generator.isolation.job import ProofFailed
from generator.tasks.make import write_lines
from runtime.commands.output import print_result
from runtime.commands.progress import Progress
from runtime.domain.load import find_folder, is_carried
from runtime.errors import StageFailed, UsageError
from runtime.wording import counted


def add_graph(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "graph",
        description="Find the dependencies between the tools of a domain by execution and write its graph.json: "
        "results that other tools take, calls that make others possible or change what they say, and every data flow "
        "of the chains that its scenarios come to. The same folder gives the same file.",
    )
    parser.add_argument("domain", help="name or path of a domain")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write this file instead of the domain's graph.json")
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Find the graph, write it, and say how large it is."""
    folder = find_folder(arguments.domain)
    if arguments.out is None and is_carried(arguments.domain):
        raise UsageError(f"{folder.name} belongs to the installed package; pass --out FILE for its graph.")
    out: Path = arguments.out or folder / "graph.json"
    if not out.parent.is_dir():
        raise UsageError(f"{str(out)!r} cannot be written: there is no folder {str(out.parent)!r}.")
    try:
        with Progress(f"finding the dependencies of {folder.name}"):
            graph = find_whole_graph(folder)
    except ProofFailed as failed:
        raise StageFailed(str(failed)) from failed
    write_lines(out, write_graph(graph).splitlines())
    told = {"file": str(out), "nodes": len(graph.nodes), "edges": len(graph.edges), "kinds": graph.kinds}
    size = f"{counted(len(graph.nodes), 'tool')}, {counted(len(graph.edges), 'edge')}"
    lines = [f"{out}: {size}, density {graph.density:.3f}"]
    print_result(arguments, {**told, "density": round(graph.density, 4)}, lines)
    return 0
