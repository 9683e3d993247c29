"""What the author of a domain may use; `worldsmith serve` and everything else stands in the packages beside it.

A domain folder is loaded (`domain`), copied into sessions (`session`), served to agents (`server`), given goals
(`task`) and judged (`verification`).
"""

from typing import NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from runtime.domain.dates import Date, Timestamp, add_days, add_minutes, days_between, minutes_between, weekday
from runtime.domain.tool import tool
from runtime.errors import Rejection
from runtime.session.database import Database
from runtime.session.world import WorldBuilder

__all__ = [
    "Database",
    "Date",
    "Field",
    "NotRequired",
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
