"""What the author of `rules.py` may use; beside it, what rules are for: `violations` of an episode, the `policy`."""

from runtime.domain.rule import Call, duty, rule

__all__ = ["Call", "duty", "rule"]
