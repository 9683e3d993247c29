"""Check that an optional package is installed in a version that works, before anything imports it."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

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


def require_mcp() -> None:
    """Check that the MCP SDK supports our servers and clients; errors: MissingPackage."""
    require("mcp", "2.0")


def _release(written: str) -> tuple[int, ...]:
    """Return the numbers that a version starts with, without trailing zeros: 2.0 equals 2.0.0."""
    numbers = [int(number) for number in re.findall(r"\d+", re.match(r"[\d.]*", written)[0])]  # type: ignore[index]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
