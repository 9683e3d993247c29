"""Run worldsmith over every hostile folder and print a table: `python -m tests.hostile.folders [NAME ...]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.hostile.corpus import FOLDERS, Hostile
from tests.hostile.trial import COMMANDS, Ran, run_all


def main() -> int:
    """Print what each command did with each folder; 1 if one of them hangs, crashes, leaks or does not say why."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.folders", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these folders")
    parser.add_argument("--worldsmith", nargs="+", default=[], metavar="WORD", help="the command of another worldsmith")
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=COMMANDS, help="only these commands")
    parser.add_argument("--processes", type=int, default=2, metavar="N")
    arguments = parser.parse_args()
    chosen = [each for each in FOLDERS if not arguments.names or each.name in arguments.names]

    def attempt(hostile: Hostile) -> tuple[list[Ran], list[str]]:
        with tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as place:
            return run_all(hostile, Path(place), arguments.commands, arguments.worldsmith)

    print(f"{'folder':<30}" + "".join(f"{command:>11}" for command in arguments.commands) + "  verdict")
    wrong = 0
    slowest = 0.0
    with ThreadPoolExecutor(arguments.processes) as pool:
        for hostile, (ran, faults) in zip(chosen, pool.map(attempt, chosen), strict=True):
            cells = "".join(f"{_shown(each, hostile):>11}" for each in ran)
            print(f"{hostile.name:<30}{cells}  {'; '.join(faults) or 'ok'}", flush=True)
            wrong += bool(faults)
            refused = [each for each in ran if each.command in hostile.refused_by and not each.began]
            slowest = max([slowest, *(each.seconds for each in refused)])
    print(
        f"{len(chosen)} folders, {len(chosen) * len(arguments.commands)} runs; {wrong} folders at fault; "
        f"the slowest refusal took {slowest:.1f} s of a processor.\n"
        "Cells are the exit status and seconds of a processor; ~: this command need not refuse the folder."
    )
    return 1 if wrong else 0


def _shown(ran: Ran, hostile: Hostile) -> str:
    what = "hangs" if ran.status is None else str(ran.status)
    return f"{what}{'' if ran.command in hostile.refused_by else '~'} {ran.seconds:.1f}s"


if __name__ == "__main__":
    sys.exit(main())
