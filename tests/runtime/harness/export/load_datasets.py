"""Exports of real episodes loaded with the `datasets` library: python -m tests.runtime.harness.export.load_datasets.

It makes a virtual environment of its own in a temporary folder (or in the folder named on the command line, which is
kept), installs `datasets` there, and compares every row that the library gives with the line that it came from.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from runtime.domain.load import load_domain
from runtime.harness.export import ExportCounts, episode_lines, group_lines, line, sft_lines
from tests.runtime.harness.played import keep, some_episodes

LIBRARY = Path(__file__).parents[3] / "domains" / "library"

CHECK = """
import json, sys
import datasets

print("datasets", datasets.__version__)
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    loaded = datasets.load_dataset("json", data_files=path, split="train", cache_dir=sys.argv[1])
    rows = list(loaded)
    different = [number for number, pair in enumerate(zip(lines, rows)) if pair[0] != pair[1]]
    print(f"{path.rsplit('/', 1)[-1]}: {len(rows)} rows of {len(lines)} lines, {len(different)} different")
    if len(rows) != len(lines) or different:
        for number in different[:3]:
            print("line", lines[number], "row", rows[number], sep="\\n")
        sys.exit(1)
"""


def main() -> int:
    """Export, install, load, compare; 1 if anything is lost or added."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        environment = Path(sys.argv[1]) if len(sys.argv) > 1 else folder / "environment"
        python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
        if not python.exists():
            venv.create(environment, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "datasets>=4.8"], check=True)
        library = load_domain(LIBRARY)
        run = keep(folder / "run.db", library, some_episodes(library))
        paths = []
        for lines in (episode_lines, sft_lines, group_lines):
            path = folder / f"{lines.__name__}.jsonl"
            path.write_text("".join(map(line, lines(run, ExportCounts()))), encoding="ascii")
            paths.append(str(path))
        environ = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
        command = [str(python), "-c", CHECK, str(folder / "cache"), *paths]
        return subprocess.run(command, env=environ).returncode


if __name__ == "__main__":
    sys.exit(main())
