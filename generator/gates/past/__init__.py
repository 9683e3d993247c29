"""Whether the past of a domain's worlds could have come about under its own tools and rules."""
