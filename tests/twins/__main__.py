"""Make a twin of every source in a folder, check it, and print a table: `python -m tests.twins FOLDER --json FILE`.

Sources that FILE has already are not made again, so a run that was stopped goes on. Of a source with more tables than a
twin can have, the first ones that its error names are taken.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runtime.text_table import table_lines

SUFFIXES = {".sql", ".db", ".sqlite", ".sqlite3", ".json", ".yaml", ".yml"}
FEW_TABLES = 8  # of a source that has too many
COLUMNS = ("source", "tables", "rows in", "rows out", "tools", "kinds", "tasks", "losses", "seconds", "check")


def _run(*words: str, seconds: float) -> tuple[dict[str, Any], str]:
    """Run a command that prints JSON; what it printed, and its error or the first fault that it found."""
    command = [sys.executable, "-m", "generator", *words, "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as done:
        try:
            output, errors = done.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)  # with the processes that it started
            return {}, f"not done after {seconds:.0f} s"
    try:
        printed = json.loads(output)
    except ValueError:
        printed = {}
    printed = printed if isinstance(printed, dict) else {}
    if done.returncode == 0:
        return printed, ""
    lines = [line for line in errors.splitlines() if line.strip()]
    sentences = [line for line in lines if line.startswith("error: ")]
    said = next(iter(_faults_in(printed) or sentences or lines[-1:]), f"exit status {done.returncode}")
    return printed, said.removeprefix("error: ")


def _faults_in(report: Mapping[str, Any]) -> list[str]:
    """The faults of a report of `check`, in its order."""
    return [str(each) for each in report.get("faults") or ()]


def _first_tables(error: str) -> str:
    """The tables to take of a source of which an error says that it has too many; empty if that is not its fault."""
    _, named, tables = error.partition("Have: ")
    return ",".join(tables.rstrip(".").split(", ")[:FEW_TABLES]) if named and "--tables" in error else ""


def _measure(source: Path, seconds: float) -> dict[str, Any]:
    """Make one twin and check it."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="twins.") as folder:
        place = ("--out", str(Path(folder) / "twin"), "--name", "twin")
        made, error = _run("twin", str(source), *place, seconds=seconds)
        if tables := _first_tables(error):
            made, error = _run("twin", str(source), *place, "--tables", tables, seconds=seconds)
        checked = ""
        if made and not error:
            _, fault = _run("check", str(Path(folder) / "twin"), seconds=seconds)
            checked = fault or "ok"
    return {
        "source": source.name,
        "made": made,
        "tables_taken": tables,
        "error": error,
        "check": checked,
        "seconds": round(time.monotonic() - started, 1),
    }


def _row_of(found: Mapping[str, Any]) -> list[str]:
    """A row of the table, from whatever the twin's JSON says."""
    made = found["made"]
    account: dict[str, Any] = made.get("account") or {}
    rows: list[dict[str, int]] = list((account.get("rows") or {}).values())
    numbers = {
        "tables": made.get("tables"),
        "rows in": sum(each["given"] for each in rows) if rows else made.get("rows"),
        "rows out": sum(each["kept"] for each in rows) if rows else None,
        "tools": made.get("tools"),
        "kinds": made.get("kinds"),
        "tasks": made.get("tasks"),
        "losses": account.get("losses", made.get("losses")),
    }
    shown = [f"{_number(value):,}" if value is not None else "-" for value in numbers.values()]
    tables = "*" if found["tables_taken"] else ""
    return [found["source"] + tables, *shown, f"{found['seconds']:.0f}", (found["error"] or found["check"])[:100]]


def _number(value: Any) -> int:
    return len(value) if isinstance(value, dict | list) else int(value)


def main() -> int:
    """Print the table; 1 if a twin was not made or failed its check."""
    parser = argparse.ArgumentParser(prog="python -m tests.twins", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", type=int, default=1, dest="first", metavar="N", help="begin with the Nth source")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where results are kept, and read by the next run")
    parser.add_argument("--seconds", type=float, default=600, help="for each command (default 600)")
    arguments = parser.parse_args()
    sources = sorted(path for path in arguments.folder.iterdir() if path.suffix in SUFFIXES)[arguments.first - 1 :]
    kept = arguments.json
    found: dict[str, Any] = json.loads(kept.read_text()) if kept is not None and kept.exists() else {}
    for number, source in enumerate(sources, start=arguments.first):
        if source.name not in found:
            found[source.name] = _measure(source, arguments.seconds)
            if kept is not None:
                kept.write_text(json.dumps(found, indent=1))
        row = _row_of(found[source.name])
        print(f"{number}: {row[0]}: {row[-1]}", file=sys.stderr, flush=True)
    mine = [found[source.name] for source in sources]
    print("\n".join(table_lines(list(COLUMNS), [_row_of(each) for each in mine])))
    good = sum(each["check"] == "ok" for each in mine)
    print(f"{good} of {len(mine)} twins are made and hold; * has the first {FEW_TABLES} tables alone")
    return 0 if good == len(mine) else 1


if __name__ == "__main__":
    sys.exit(main())
