"""A hostile program: it tells what /proc shows of its ancestors, up to the process PID that it is named.

`looks_up.py PID`: of each what can be read of its arguments and its environment, where its folder and its descriptors
lead, and whether its memory can be opened for writing.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from telling import tell


def read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return None


def links(pid: int) -> list[str]:
    found = []
    with contextlib.suppress(OSError):
        for path in (Path(f"/proc/{pid}/cwd"), *Path(f"/proc/{pid}/fd").iterdir()):
            found.append(os.readlink(path))
    return found


def memory_opens(pid: int) -> bool:
    try:
        Path(f"/proc/{pid}/mem").open("r+b", buffering=0).close()
    except OSError:
        return False
    return True


last, pid, ancestors = int(sys.argv[1]), os.getppid(), []
while pid not in (last, 1):
    about = {name: read(Path(f"/proc/{pid}/{name}")) for name in ("cmdline", "environ")}
    ancestors.append({"links": links(pid), "memory": memory_opens(pid), **about})
    pid = int((read(Path(f"/proc/{pid}/stat")) or ") ? 0").rpartition(")")[2].split()[1])
tell({"ancestors": ancestors, "environ": dict(os.environ)})
