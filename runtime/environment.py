"""What surrounds us: optional packages, and the Python command and environment variables of child processes."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from runtime.errors import MissingPackage


def require(package: str, lowest: str, *, extra: str = "") -> None:
    """Check that `package` is installed in version `lowest` or later; `extra` of worldsmith installs it.

    Errors: MissingPackage, which says how to install it.
    """
    command = f"pip install 'worldsmith[{extra}]'" if extra else f"pip install '{package}>={lowest}'"
    try:
        found = version(package)
    except PackageNotFoundError:
        raise MissingPackage(f"This needs {package}, which is not installed; `{command}` installs it.") from None
    if _release(found) < _release(lowest):
        raise MissingPackage(
            f"This needs {package} {lowest} or later, and {found!r} is installed; `{command}` upgrades it."
        )


@cache
def require_mcp() -> None:
    """Check that the MCP SDK supports our servers and clients; errors: MissingPackage."""
    require("mcp", "2.0")


def _release(written: str) -> tuple[int, ...]:
    """Return the numbers that a version starts with, without trailing zeros: 2.0 equals 2.0.0."""
    numbers = [int(number) for number in re.findall(r"\d+", re.match(r"[\d.]*", written)[0])]  # type: ignore[index]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


ROOT = Path(__file__).resolve().parents[1]  # the folder of our packages, installed or checked out

# Our packages come from where this process has them; nothing else is imported from there: it may be any folder.
_START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); import runtime, {package}; del sys.path[0]; "
    "from {module} import main; sys.exit(main())"
)
_SECRET = re.compile(r"^WORLDSMITH_|(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(_|$)", re.IGNORECASE)


def python_command(module: str) -> list[str]:
    """Return the command that runs `main` of one of our modules; arguments may follow.

    `-P` keeps Python from looking for modules in the folder in which the child starts.
    """
    start = _START.format(package=module.partition(".")[0], module=module)
    return [sys.executable, "-P", "-X", "utf8", "-c", start, str(ROOT)]


def is_secret(name: str) -> bool:
    """True if a variable is one of worldsmith's own, or a key, token or password by its name."""
    return _SECRET.search(name) is not None


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a child; the secrets it needs are sent through a pipe, which nobody else can read."""
    return {name: value for name, value in environment.items() if not is_secret(name)}
