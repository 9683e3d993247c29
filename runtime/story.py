"""What the author of `scenarios.py` may use."""

from runtime.task.story import Story, scenario

__all__ = ["Story", "scenario"]
