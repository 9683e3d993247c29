"""`worldsmith export`: the episodes of a run as JSON Lines for trainers."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from runtime.commands.output_file import EXPORT, add_force, check_output, write_output
from runtime.commands.reward_option import add_reward
from runtime.errors import UsageError
from runtime.harness.evaluation.store import Run, read_run
from runtime.harness.export.legible import line
from runtime.harness.export.lines import Choice, ExportCounts, episode_lines, group_lines, sft_lines
from runtime.wording import counted, have

_LINES: dict[str, Callable[[Run, Choice, ExportCounts], Iterator[dict[str, Any]]]] = {
    "messages": episode_lines,
    "sft": sft_lines,
    "rl": group_lines,
}


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "export",
        help="write the episodes of a run as JSON Lines for trainers (no model needed)",
        description="Write the episodes of a run as JSON Lines. messages: one line per episode, as the OpenAI API has "
        "it; sft: the episodes of reward 1 as prompt and completion; rl: one line per task with its trials, their "
        "rewards and advantages. Exit 1: no episode is of that kind.",
    )
    parser.add_argument("store", type=Path, metavar="STORE", help="the run store that `worldsmith eval` wrote")
    parser.add_argument("--format", choices=tuple(_LINES), required=True, help="what a line holds")
    parser.add_argument("--out", type=Path, metavar="FILE.jsonl", help="write here instead of to stdout")
    parser.add_argument("--task", metavar="ID,ID", help="only episodes of these tasks")
    parser.add_argument(
        "--min-reward", type=float, metavar="R", help="only episodes with at least this reward (format messages)"
    )
    add_reward(parser, None)
    add_force(parser)
    parser.add_argument("--json", action="store_true", help="print what was written as JSON (with --out)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the lines and say how many; 1 if there are none."""
    if arguments.json and arguments.out is None:
        raise UsageError("--json goes with --out; without it stdout holds the lines")
    if arguments.min_reward is not None and arguments.format != "messages":
        raise UsageError(
            f"--min-reward goes with --format messages; {arguments.format} "
            + ("takes only reward 1" if arguments.format == "sft" else "needs all trials of a group")
        )
    if arguments.out is not None and arguments.out.resolve() == arguments.store.resolve():
        raise UsageError(f"--out {str(arguments.out)!r} is the store itself")
    if arguments.out is not None:
        check_output(arguments.out, EXPORT, force=arguments.force)
    evaluation = read_run(arguments.store)
    choice = Choice(_chosen_tasks(arguments.task, evaluation), arguments.min_reward, arguments.reward)
    tally = ExportCounts()
    lines = map(line, _LINES[arguments.format](evaluation, choice, tally))
    if arguments.out is None:
        sys.stdout.writelines(lines)
    else:
        _write(arguments.out, lines, force=arguments.force)
    if arguments.json:
        counted = {"lines": tally.lines, "episodes": tally.episodes, "left_out": dict(sorted(tally.left_out.items()))}
        print(json.dumps({"format": arguments.format, "file": str(arguments.out), **counted}))
    else:
        print(_summary(tally), file=sys.stdout if arguments.out else sys.stderr)
    return 0 if tally.lines else 1


def _chosen_tasks(words: str | None, evaluation: Run) -> frozenset[str] | None:
    if words is None:
        return None
    there = {task for _, task in evaluation.tasks}
    chosen = frozenset(word.strip() for word in words.split(",") if word.strip())
    for unknown in sorted(chosen - there):
        raise UsageError(f"no task {unknown!r} in this run; {have(unknown, sorted(there))}")
    if not chosen:
        raise UsageError(f"--task is {words!r}; give task ids with commas between")
    return chosen


def _write(path: Path, lines: Iterator[str], *, force: bool) -> None:
    """Write the lines, if there is one at all: an empty file says nothing."""
    first = next(lines, None)
    if first is not None:
        write_output(path, EXPORT, chain([first], lines), force=force)


def _summary(tally: ExportCounts) -> str:
    said = f"{counted(tally.lines, 'line')} of {counted(tally.episodes, 'episode')}"
    if not tally.lines:
        said = f"nothing was written: 0 of {counted(sum(tally.left_out.values()), 'episode')}"
    if tally.left_out:
        said += "; left out: " + ", ".join(f"{count} {why}" for why, count in sorted(tally.left_out.items()))
    return said
