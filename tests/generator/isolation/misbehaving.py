"""Jobs of the tests that do, by intent, what code under proof must not get away with."""

from __future__ import annotations

import os
import resource
import signal
import time
from dataclasses import dataclass
from typing import Any

from generator.isolation.job import job
from runtime.errors import BrokenDomain, EnvironmentFault, Rejection


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
    kinds = ("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_NPROC", "RLIMIT_CORE")
    return Value({kind: resource.getrlimit(getattr(resource, kind))[0] for kind in kinds})


@job("raise_error")
def raise_error(asked: Value) -> Value:
    errors: dict[str, Exception] = {
        "rejection": Rejection.not_found("No book 'B2' exists."),
        "fault": EnvironmentFault("Tool 'lend' crashed."),
        "broken": BrokenDomain(["world.py:1: one", "world.py:2: two"]),
        "crash": ZeroDivisionError("division by zero\nin two lines"),
    }
    raise errors[asked.value]


@job("hoard")
def hoard(_: Value) -> Value:
    kept: list[bytes] = []
    while True:
        kept.append(bytes(1_000_000))


@job("spin")
def spin(_: Value) -> Value:
    while True:
        pass


@job("sleep")
def sleep(asked: Value) -> Value:
    time.sleep(asked.value)
    return Value("awake")


@job("exit_at_once")
def exit_at_once(asked: Value) -> Value:
    os._exit(asked.value)


@job("complain_and_exit")
def complain_and_exit(_: Value) -> Value:
    os.write(2, b"one\n" * 1000 + b"the last line\n")
    os._exit(3)


@job("kill_itself")
def kill_itself(_: Value) -> Value:
    signal.raise_signal(signal.SIGKILL)
    return Value()


@job("print_much")
def print_much(_: Value) -> Value:
    print("x" * 10_000_000)
    return Value("printed")


@job("return_strange")
def return_strange(_: Value) -> Value:
    return Value(object())


@job("forge_answer")
def forge_answer(asked: Value) -> Count:
    """Answer in the place of the child, as code could that found its way out."""
    for place in range(3, 20):
        try:
            os.write(place, asked.value.encode() + b"\n")
        except OSError:
            continue
    os._exit(0)
