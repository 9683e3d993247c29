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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.isolation.job import job
from runtime.errors import BrokenDomain, EnvironmentFault, Rejection, StageFailed, UsageError


@dataclass(frozen=True)
class Value:
    """What most of these jobs take and return: anything that JSON can hold."""

    value: Any = None


@dataclass(frozen=True)
class Count:
    """What a job promises to return that returns something else."""

    number: int


@job("echo")
def echo(asked: Value) -> Value:
    """What it is given."""
    return asked


@job("environment")
def environment(_: Value) -> Value:
    return Value(dict(os.environ))


@job("limits")
def limits(_: Value) -> Value:
    kinds = ("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_CORE")
    return Value({kind: resource.getrlimit(getattr(resource, kind))[0] for kind in kinds})


@job("raise_error")
def raise_error(asked: Value) -> Value:
    errors: dict[str, Exception] = {
        "rejection": Rejection.not_found("No book 'B2' exists."),
        "fault": EnvironmentFault("Tool 'lend' crashed."),
        "stage": StageFailed("The stage failed."),
        "usage": UsageError("There is no such thing."),
        "broken": BrokenDomain(["world.py:1: one", "world.py:2: two"]),
        "crash": ZeroDivisionError("division by zero\nin two lines"),
        "exit": SystemExit(0),  # type: ignore[dict-item]
    }
    raise errors[asked.value]


@job("allocate")
def allocate(_: Value) -> Value:
    return Value(len(bytearray(8 * 1024**3)))


@job("hoard")
def hoard(_: Value) -> Value:
    kept: list[bytes] = []
    while True:
        kept.append(bytes(1_000_000))


@job("spin")
def spin(_: Value) -> Value:
    while True:
        pass


@job("spin_in_c")
def spin_in_c(_: Value) -> Value:
    return Value(sum(range(10**12)))


@job("swallow")
def swallow(_: Value) -> Value:
    """Try again whatever is raised."""
    while True:
        try:
            open("/etc/passwd")  # noqa: SIM115
        except BaseException:
            continue


@job("sleep")
def sleep(asked: Value) -> Value:
    time.sleep(asked.value)
    return Value("awake")


@job("fork")
def fork(_: Value) -> Value:
    if os.fork() == 0:
        time.sleep(60)
    return Value()


@job("spawn")
def spawn(_: Value) -> Value:
    os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
    return Value()


@job("run_program")
def run_program(_: Value) -> Value:
    subprocess.run(["sleep", "60"], check=False)
    return Value()


@job("run_shell")
def run_shell(_: Value) -> Value:
    os.system("sleep 60")
    return Value()


@job("write_file")
def write_file(asked: Value) -> Value:
    Path(asked.value).write_text("owned")
    return Value()


@job("open_for_writing")
def open_for_writing(asked: Value) -> Value:
    os.open(asked.value, os.O_WRONLY | os.O_CREAT)
    return Value()


@job("remove_file")
def remove_file(asked: Value) -> Value:
    os.remove(asked.value)
    return Value()


@job("make_folder")
def make_folder(asked: Value) -> Value:
    os.mkdir(asked.value)
    return Value()


@job("read_file")
def read_file(asked: Value) -> Value:
    return Value(Path(asked.value).read_text())


@job("list_folder")
def list_folder(asked: Value) -> Value:
    return Value(os.listdir(asked.value))


@job("read_secrets_of_the_parent")
def read_secrets_of_the_parent(_: Value) -> Value:
    return Value(Path(f"/proc/{os.getppid()}/environ").read_text())


@job("open_socket")
def open_socket(_: Value) -> Value:
    socket.create_connection(("127.0.0.1", 9))
    return Value()


@job("resolve_name")
def resolve_name(_: Value) -> Value:
    socket.getaddrinfo("localhost", 80)
    return Value()


@job("call_c")
def call_c(_: Value) -> Value:
    ctypes.CDLL(None).getpid()
    return Value()


@job("import_module")
def import_module(_: Value) -> Value:
    import multiprocessing.pool  # noqa: F401

    return Value()


@job("import_harmless")
def import_harmless(_: Value) -> Value:
    import colorsys

    return Value(colorsys.__cached__)


@job("open_database")
def open_database(asked: Value) -> Value:
    sqlite3.connect(asked.value)
    return Value()


@job("attach")
def attach(asked: Value) -> Value:
    connection = sqlite3.connect(":memory:")
    connection.execute("ATTACH ? AS other", (asked.value,))
    return Value(connection.execute("SELECT * FROM other.secret").fetchall())


@job("vacuum_into")
def vacuum_into(asked: Value) -> Value:
    sqlite3.connect(":memory:").execute("VACUUM INTO ?", (asked.value,))
    return Value()


@job("lift_the_limit_and_vacuum_into")
def lift_the_limit_and_vacuum_into(asked: Value) -> Value:
    connection = sqlite3.connect(":memory:")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 5)
    connection.execute("VACUUM INTO ?", (asked.value,))
    return Value()


@job("connect_by_the_class")
def connect_by_the_class(_: Value) -> Value:
    sqlite3.Connection(":memory:")
    return Value()


@job("load_extension")
def load_extension(_: Value) -> Value:
    connection = sqlite3.connect(":memory:")
    connection.enable_load_extension(True)
    return Value()


@job("in_memory")
def in_memory(_: Value) -> Value:
    connection = sqlite3.connect(":memory:")
    try:
        return Value(int(connection.execute("SELECT 7").fetchone()[0]))
    finally:
        connection.close()


@job("lift_limits")
def lift_limits(_: Value) -> Value:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return Value()


@job("kill_parent")
def kill_parent(_: Value) -> Value:
    os.kill(os.getppid(), signal.SIGTERM)
    return Value()


@job("set_environment")
def set_environment(_: Value) -> Value:
    os.environ["OWNED"] = "1"
    return Value()


@job("exit_at_once")
def exit_at_once(asked: Value) -> Value:
    os._exit(asked.value)


@job("abort")
def abort(_: Value) -> Value:
    os.abort()


@job("complain_and_exit")
def complain_and_exit(_: Value) -> Value:
    os.write(2, b"one\n" * 1000 + b"the last line\n")
    os._exit(3)


@job("complain_without_end")
def complain_without_end(_: Value) -> Value:
    while True:
        os.write(2, b"x" * 1_000_000)


@job("kill_itself")
def kill_itself(_: Value) -> Value:
    signal.raise_signal(signal.SIGKILL)
    return Value()


@job("recurse_in_c")
def recurse_in_c(_: Value) -> Value:
    value: Any = 1
    for _number in range(500_000):
        value = map(abs, value if isinstance(value, map) else [value])
    list(value)
    return Value()


@job("print_much")
def print_much(_: Value) -> Value:
    print("x" * 10_000_000)
    return Value("printed")


@job("write_garbage")
def write_garbage(_: Value) -> Value:
    for place in range(3, 20):
        try:
            os.write(place, b"\xff\x00{garbage\n")
        except OSError:
            continue
    return Value("written")


@job("return_much")
def return_much(_: Value) -> Value:
    return Value("x" * 1_000_000)


@job("return_strange")
def return_strange(_: Value) -> Value:
    return Value(object())


@job("forge_answer")
def forge_answer(_: Value) -> Count:
    """Answer in the place of the child, as code could that found its way out."""
    for place in range(3, 20):
        try:
            os.write(place, b'{"result": {"number": "many"}}\n')
        except OSError:
            continue
    os._exit(0)


@job("nest_deeply")
def nest_deeply(_: Value) -> Value:
    """Answer with more brackets than a parser can follow."""
    for place in range(3, 20):
        try:
            os.write(place, b'{"result": ' + b"[" * 90_000 + b"\n")
        except OSError:
            continue
    os._exit(0)
