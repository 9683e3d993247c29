"""What a program is given: of our environment, and where it is isolated, of our files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from runtime.children import without_secrets
from runtime.errors import UsageError

_ISOLATED = {"PATH", "LANG", "LANGUAGE", "TZ", "TERM"}  # and LC_*: what an isolated program is given unasked
_OF_OUR_FOLDER = {"PWD", "OLDPWD"}


@dataclass(frozen=True)
class Given:
    """Whether the program is isolated, and what is passed on by name: variables, and files or folders to read."""

    isolate: bool = False
    pass_env: tuple[str, ...] = ()
    pass_path: tuple[str, ...] = ()


def environment_of(given: Given, environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The environment of a program in its folder; errors: UsageError for a variable that is not set.

    It is ours without secrets, or, isolated, hardly anything of it; and no proxy stands on the way to us.
    """
    missing = [name for name in given.pass_env if name not in environment]
    if missing:
        raise UsageError(f"--pass-env {missing[0]!r} names a variable that is not set.")
    passed = {name: value for name, value in without_secrets(environment).items() if name not in _OF_OUR_FOLDER}
    if given.isolate:
        passed = {name: value for name, value in passed.items() if name in _ISOLATED or name.startswith("LC_")}
        passed |= {"HOME": str(folder), "TMPDIR": "/tmp"}
    passed |= {name: environment[name] for name in given.pass_env}
    for name in ("NO_PROXY", "no_proxy"):
        passed[name] = ",".join(filter(None, (passed.get(name), "127.0.0.1")))
    return passed | {"PWD": str(folder)}
