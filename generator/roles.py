"""Who is asked for what: the stages that ask a model, and the roles that can each have a model of their own."""

STAGES = ("screen", "tools", "database", "world", "code", "cases", "debug", "sharpen", "scenarios")
ROLES = (
    "screen",
    "tools",
    "database",
    "world",
    "code",
    "cases",
    "debug",
    "scenarios",
)  # the writer of cases rules on questions, too
