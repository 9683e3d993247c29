"""A hostile program: it plays the library's task `keep-a-book`, and leaves 3,000 folders within one another."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

top = os.open(".", os.O_RDONLY)
for _ in range(3000):
    os.mkdir("0")
    os.chdir("0")
os.fchdir(top)
runpy.run_path(str(Path(__file__).with_name("renews.py")))
