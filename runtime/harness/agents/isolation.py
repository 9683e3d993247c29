"""What an isolated program sees: its folder, what programs need to run, and a loopback of its own; no more.

Bubblewrap (`bwrap`) gives it namespaces of its own: of files, processes, users and networks. Linux only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from runtime.errors import UsageError

_SYSTEM = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")))
_SETTINGS = (
    *(
        "/etc/ld.so.cache",
        "/etc/ld.so.conf",
        "/etc/ld.so.conf.d",
        "/etc/alternatives",
        "/etc/ssl/certs",
        "/etc/pki/tls",
    ),
    *("/etc/ca-certificates", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/localtime"),
)
_NAMESPACES = (
    *("--unshare-all", "--die-with-parent", "--cap-drop", "ALL"),
    *("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"),  # which root may write, whatever its namespace
    *("--dev", "/dev"),
)
_NO_MORE = "--disable-userns"  # a program makes no namespaces of its own; bubblewrap has it from 0.8 on
_CARRIED = "lib*/python*/*-packages/runtime/carried"  # domains with their tasks, where worldsmith is installed
_ENTRY = Path(__file__).with_name("isolation_entry.py")
_PYTHON = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
_TRIAL = "import socket; socket.create_server(('127.0.0.1', 0)).close()"
_SECONDS = 30.0  # of the trial


@dataclass(frozen=True)
class Isolation:
    """How a program is isolated. `shown` are the places inside with what is read there, `hidden` those shown empty."""

    bubblewrap: str
    shown: Mapping[Path, Path]
    hidden: tuple[Path, ...]

    def command(self, folder: Path, control: int) -> list[str]:
        """The command that isolates a folder, to run there what it is told over the descriptor `control`."""
        return [*self._python(folder), _ENTRY.read_text(encoding="utf-8"), str(control)]

    def try_out(self) -> None:
        """See that it works on this system; errors: UsageError with what bubblewrap says."""
        with tempfile.TemporaryDirectory(prefix="worldsmith-agent-") as folder:
            try:
                done = subprocess.run(
                    [*self._python(Path(folder)), _TRIAL],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=_SECONDS,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise UsageError(f"--isolate does not work here: {error}.") from error
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["bwrap said nothing"])[-1]
            raise UsageError(f"--isolate does not work here: exit status {done.returncode}, {said.rstrip('.')}.")

    def refuse_to_show(self, paths: Iterable[Path]) -> None:
        """Errors: UsageError for a file or folder that the program could read, or something in it."""
        for path in paths:
            shown = self._shown_with(path.resolve())
            if shown is not None:
                raise UsageError(
                    f"--isolate cannot hide {str(path)!r} from the program, which is shown {str(shown)!r}; move it, or "
                    "name something smaller with --pass-path."
                )

    def _shown_with(self, path: Path) -> Path | None:
        within = [each for each in self.shown.values() if _is_in(each, path)]
        around = [each for each in (*self.shown.values(), *self.hidden) if _is_in(path, each)]
        nearest = max(around, key=_depth, default=None)
        return within[0] if within else None if nearest in self.hidden else nearest

    def _python(self, folder: Path) -> Iterator[str]:
        """The command of a Python inside, up to the text that it is to run."""
        yield from (self.bubblewrap, *_NAMESPACES, "--tmpfs", "/tmp", "--dir", "/var/tmp")
        yield from ("--unshare-user", _NO_MORE) if _knows(self.bubblewrap, _NO_MORE) else ()
        for path in _SETTINGS:
            yield from ("--ro-bind-try", path, path)
        steps: list[tuple[Path, tuple[str, ...]]] = [
            (place, ("--ro-bind", str(source))) for place, source in self.shown.items()
        ]
        steps += [
            (place / path.relative_to(source), ("--tmpfs",))
            for place, source in self.shown.items()
            for path in self.hidden
            if _is_in(path, source)
        ]
        for place, how in sorted(steps, key=lambda step: _depth(step[0])):  # what lies deeper comes later
            is_link = place in _SYSTEM and place.is_symlink()
            yield from (*(("--symlink", os.readlink(place)) if is_link else how), str(place))
        yield from ("--bind", str(folder), str(folder), "--chdir", str(folder))
        yield from ("--", str(_PYTHON), "-I", "-S", "-X", "utf8", "-c")


def prepare_isolation(program: str, pass_path: Iterable[str]) -> Isolation:
    """How this program is isolated; errors: UsageError where it cannot be."""
    if sys.platform != "linux":
        raise UsageError("--isolate works on Linux only.")
    passed = [Path(path) for path in pass_path]
    for path in passed:
        if not path.exists():
            raise UsageError(f"--pass-path {str(path)!r} names nothing that exists.")
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        raise UsageError("--isolate needs bubblewrap; install it (its program is bwrap), or leave out --isolate.")
    own = {Path.home().resolve(), Path.cwd().resolve()}
    shown = {place: place.resolve() for place in _SYSTEM if place.is_dir()}
    for path in (*_prefixes(Path(program)), Path(program), *passed):
        place = Path(os.path.abspath(path))
        nearest = max((each for each in (*shown, *own) if _is_in(place, each)), key=_depth, default=None)
        if nearest not in shown:
            shown[place] = place.resolve()
    carried = [path for each in shown.values() for prefix in (each, each / "local") for path in prefix.glob(_CARRIED)]
    return Isolation(bubblewrap, shown, tuple(path.resolve() for path in (*carried, *own - set(shown.values()))))


def _prefixes(program: Path) -> Iterator[Path]:
    """Where our Python is, and the virtual environment that a program is of, with the Python of that."""
    yield from (Path(sys.base_prefix), Path(sys.base_prefix).resolve())
    settings = program.parent.parent / "pyvenv.cfg"
    if settings.is_file():
        yield program.parent.parent
        for line in settings.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition("=")
            if name.strip() == "home" and Path(value.strip()).is_dir():
                yield Path(value.strip()).parent


@lru_cache
def _knows(bubblewrap: str, option: str) -> bool:
    try:
        asked = subprocess.run([bubblewrap, "--help"], capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return option.encode() in asked.stdout + asked.stderr


def _is_in(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents


def _depth(path: Path) -> int:
    return len(path.parts)
