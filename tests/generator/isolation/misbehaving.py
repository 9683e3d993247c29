"""Jobs of the tests that do, by intent, what code under proof must not get away with."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

from runtime.errors import BrokenDomain, EnvironmentFault, Rejection, StageFailed, UsageError


def echo(**arguments: Any) -> dict[str, Any]:
    """What it is given."""
    return arguments


def environment() -> dict[str, str]:
    return dict(os.environ)


def limits() -> dict[str, int]:
    kinds = ("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_CORE")
    return {kind: resource.getrlimit(getattr(resource, kind))[0] for kind in kinds}


def raise_error(kind: str) -> None:
    errors: dict[str, Exception] = {
        "rejection": Rejection.not_found("No book 'B2' exists."),
        "fault": EnvironmentFault("Tool 'lend' crashed."),
        "stage": StageFailed("The stage failed."),
        "usage": UsageError("There is no such thing."),
        "broken": BrokenDomain(["world.py:1: one", "world.py:2: two"]),
        "crash": ZeroDivisionError("division by zero\nin two lines"),
        "exit": SystemExit(0),  # type: ignore[dict-item]
    }
    raise errors[kind]


def allocate() -> int:
    return len(bytearray(8 * 1024**3))


def hoard() -> list[bytes]:
    kept: list[bytes] = []
    while True:
        kept.append(bytes(1_000_000))


def spin() -> None:
    while True:
        pass


def spin_in_c() -> int:
    return sum(range(10**12))


def swallow() -> None:
    """Try again whatever is raised."""
    while True:
        try:
            open("/etc/passwd")  # noqa: SIM115
        except BaseException:
            continue


def sleep(seconds: float) -> str:
    time.sleep(seconds)
    return "awake"


def fork() -> None:
    if os.fork() == 0:
        time.sleep(60)


def spawn() -> None:
    os.posix_spawn("/bin/sleep", ["sleep", "60"], {})


def run_program() -> None:
    subprocess.run(["sleep", "60"], check=False)


def run_shell() -> None:
    os.system("sleep 60")


def write_file(path: str) -> None:
    Path(path).write_text("owned")


def open_for_writing(path: str) -> None:
    os.open(path, os.O_WRONLY | os.O_CREAT)


def remove_file(path: str) -> None:
    os.remove(path)


def make_folder(path: str) -> None:
    os.mkdir(path)


def read_file(path: str) -> str:
    return Path(path).read_text()


def list_folder(path: str) -> list[str]:
    return os.listdir(path)


def read_secrets_of_the_parent() -> str:
    return Path(f"/proc/{os.getppid()}/environ").read_text()


def open_socket() -> None:
    socket.create_connection(("127.0.0.1", 9))


def resolve_name() -> None:
    socket.getaddrinfo("localhost", 80)


def call_c() -> None:
    ctypes.CDLL(None).getpid()


def import_module() -> None:
    import multiprocessing.pool  # noqa: F401


def open_database(path: str) -> None:
    sqlite3.connect(path)


def attach(path: str) -> list[tuple[str]]:
    connection = sqlite3.connect(":memory:")
    connection.execute("ATTACH ? AS other", (path,))
    return connection.execute("SELECT * FROM other.secret").fetchall()


def vacuum_into(path: str) -> None:
    sqlite3.connect(":memory:").execute("VACUUM INTO ?", (path,))


def lift_the_limit_and_vacuum_into(path: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 5)
    connection.execute("VACUUM INTO ?", (path,))


def connect_by_the_class() -> None:
    sqlite3.Connection(":memory:")


def load_extension() -> None:
    connection = sqlite3.connect(":memory:")
    connection.enable_load_extension(True)


def in_memory() -> int:
    connection = sqlite3.connect(":memory:")
    try:
        return int(connection.execute("SELECT 7").fetchone()[0])
    finally:
        connection.close()


def lift_limits() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def kill_parent() -> None:
    os.kill(os.getppid(), signal.SIGTERM)


def set_environment() -> None:
    os.environ["OWNED"] = "1"


def exit_at_once(status: int) -> None:
    os._exit(status)


def abort() -> None:
    os.abort()


def complain_and_exit() -> None:
    os.write(2, b"one\n" * 1000 + b"the last line\n")
    os._exit(3)


def complain_without_end() -> None:
    while True:
        os.write(2, b"x" * 1_000_000)


def kill_itself() -> None:
    signal.raise_signal(signal.SIGKILL)


def recurse_in_c() -> None:
    value: Any = 1
    for _ in range(500_000):
        value = map(abs, value if isinstance(value, map) else [value])
    list(value)


def print_much() -> str:
    print("x" * 10_000_000)
    return "printed"


def write_garbage() -> str:
    for place in range(3, 20):
        try:
            os.write(place, b"\xff\x00{garbage\n")
        except OSError:
            continue
    return "written"


def return_much() -> str:
    return "x" * 1_000_000


def return_strange() -> object:
    return object()
