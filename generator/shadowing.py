"""Whether Python finds our packages where they are installed, and not a file of the same name in another folder."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

_OURS = Path(__file__).resolve().parents[1]


def refuse_shadowed_packages() -> None:
    """End the command with exit status 2 and a sentence if `runtime` is not the package that belongs to this one."""
    found = _find("runtime")
    if found is not None and found != _OURS / "runtime" / "__init__.py":
        print(
            f"error: {str(found)!r} hides the package 'runtime' of worldsmith, which is in {str(_OURS)!r}; rename it, "
            "or start worldsmith from another folder and without that folder in PYTHONPATH.",
            file=sys.stderr,
        )
        sys.exit(2)


def _find(name: str) -> Path | None:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).resolve()
