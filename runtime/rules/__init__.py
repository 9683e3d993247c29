"""What the author of `rules.py` may use; beside it, the `policy` that is made of the rules."""

from runtime.domain.rule import Call, duty, rule

__all__ = ["Call", "duty", "rule"]
