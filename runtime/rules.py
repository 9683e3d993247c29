"""What the author of `rules.py` may use."""

from runtime.domain.rule import Call, allows, duty, rule

__all__ = ["Call", "allows", "duty", "rule"]
