"""What the author of a domain may use; `worldsmith serve` and everything else is in the packages beside it.

A domain folder is loaded (`domain`), copied into sessions (`session`), served to agents (`server`), given goals
(`task`) and judged (`verification`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NotRequired

    from pydantic import Field
    from typing_extensions import TypedDict

    from runtime.domain.arguments import Date, Timestamp, add_days, add_minutes, days_between, minutes_between, weekday
    from runtime.domain.tool import tool
    from runtime.errors import Rejection
    from runtime.session.past import Office
    from runtime.session.workspace import Database
    from runtime.session.world import WorldBuilder

__all__ = [
    "Database",
    "Date",
    "Field",
    "NotRequired",
    "Office",
    "Rejection",
    "Timestamp",
    "TypedDict",
    "WorldBuilder",
    "add_days",
    "add_minutes",
    "days_between",
    "minutes_between",
    "tool",
    "weekday",
]
# Imported when a name is asked for: the command line starts without them.
_MODULES = (
    *("typing_extensions", "pydantic", "runtime.errors", "runtime.domain.arguments", "runtime.domain.tool"),
    *("runtime.session.workspace", "runtime.session.world", "runtime.session.past"),
)


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in _MODULES:
            found = import_module(module)
            if hasattr(found, name):
                return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
