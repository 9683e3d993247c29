"""`worldsmith suite` of the runtime, and the command that makes the days of a suite."""

from __future__ import annotations

import argparse
from pathlib import Path

from runtime.commands.options import JSON, command, flag, int_option
from runtime.commands.output import Result
from runtime.commands.suite import SUITE
from runtime.errors import UsageError


@command(
    "suite make",
    "Make the days at the office that a suite names, as domains in ./domains, where they are not yet; each must have "
    "the digest that the suite says. No model is asked.",
    SUITE,
    flag("--replace", "make them anew where they are already"),
    int_option("--processes", said="child processes at a time (default: all cores)", within=(1, 256)),
    JSON,
)
def make_suite(arguments: argparse.Namespace) -> Result:
    """Make what is missing of a suite, and say what it has."""
    from generator.commands.tasks import put_days
    from generator.tasks.make import Making
    from runtime.domain.load import find_folder
    from runtime.suites import digest_of_days, read_suite

    suite = read_suite(arguments.suite)
    days = {name: member for name, member in suite.members.items() if member.days}
    if not days:
        raise UsageError(f"The suite {suite.name!r} names no days; its domains are there already.")
    rows, lines, wrong = [], [], 0
    for name, member in days.items():
        out = Path("domains", name)
        if arguments.replace or not out.exists():
            making = Making(find_folder(member.days_of), member.each, seed=member.seed, processes=arguments.processes)
            put_days(making, member.days, out, replace=arguments.replace)
        digest = digest_of_days(out)
        is_right = member.digest in ("", digest)
        wrong += not is_right
        rows.append({"domain": name, "folder": str(out), "digest": digest, "expected": member.digest})
        said = "" if is_right else f", not {member.digest} as the suite says"
        lines.append(f"{out}: {member.each} x {len(member.days)} days, digest {digest}{said}")
    lines.append(f"Play them: worldsmith eval --suite {arguments.suite} --agent reference")
    return Result({"suite": suite.name, "domains": rows}, lines, int(wrong > 0))
