"""What the author of `rules.py` may use."""

from runtime.domain.rule import Call, duty, rule

__all__ = ["Call", "duty", "rule"]
