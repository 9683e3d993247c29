"""Whether a package that not everybody needs is here, in a version that will do; said before anything builds on it."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

from runtime.errors import MissingPackage


def require(package: str, lowest: str, *, extra: str = "") -> None:
    """Check that `package` is installed from version `lowest` on; `extra` of worldsmith brings it.

    Errors: MissingPackage, which says how to install it.
    """
    command = f"pip install 'worldsmith[{extra}]'" if extra else f"pip install '{package}>={lowest}'"
    try:
        found = version(package)
    except PackageNotFoundError:
        raise MissingPackage(f"This needs {package}, which is not installed; `{command}` installs it.") from None
    if _release(found) < _release(lowest):
        raise MissingPackage(
            f"The {package} that is installed is {found!r}, and this needs {lowest} at least; `{command}` installs it."
        )


def require_mcp() -> None:
    """Check that the MCP SDK is one that servers and clients can be made of. Errors: MissingPackage."""
    require("mcp", "2.0")


def _release(written: str) -> tuple[int, ...]:
    """The numbers that a version begins with, without zeros at their end: 2.0 and 2.0.0 are the same."""
    numbers = [int(number) for number in re.findall(r"\d+", re.match(r"[\d.]*", written)[0])]  # type: ignore[index]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
