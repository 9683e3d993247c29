"""Write a suite of so many copies of the library: `python -m tests.frameworks.towns 30` makes `towns/towns.toml`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.runtime.suite_files import write_suite_file

if __name__ == "__main__":
    Path("towns").mkdir()
    write_suite_file(Path("towns"), {f"town_{number}": 1 for number in range(int(sys.argv[1]))}, "towns")
