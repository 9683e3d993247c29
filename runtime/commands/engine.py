"""The option `--engine`: on this machine, or on a Ray cluster; the same in every command that plays or proves."""

from __future__ import annotations

import argparse
from typing import Any

from runtime.errors import UsageError
from runtime.wording import have

_CHOICES = ("local", "ray[:ADDRESS]")


def add_engine(parser: argparse.ArgumentParser | Any) -> None:
    """Add the option to a command."""
    parser.add_argument(
        "--engine",
        default="local",
        metavar="E",
        help="where the work is done: local, on this machine (default), or ray[:ADDRESS], on a Ray cluster: the one at "
        "HOST:PORT, else the one that runs here (auto), else one that is made of this machine's processors",
    )


def ray_address(arguments: argparse.Namespace) -> str | None:
    """The address of the cluster that is asked for, "" for any; None where the work stays here. Errors: UsageError."""
    engine, _, address = str(arguments.engine).partition(":")
    if engine == "ray":
        return address
    if str(arguments.engine) != "local":
        raise UsageError(f"no engine {arguments.engine!r}; {have(engine, _CHOICES)}")
    return None
