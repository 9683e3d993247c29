"""How child processes start: where their Python finds our code, and which environment variables they get."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

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
