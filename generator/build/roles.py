"""Who is asked for what: the stages that ask a model, and the roles that can each have a model of their own."""

STAGES = ("screen", "tools", "database", "world", "code", "cases", "debug", "sharpen", "scenarios", "reading")
ROLES = (
    "screen",
    "tools",
    "database",
    "world",
    "code",
    "cases",
    "debug",
    "scenarios",
    "reader",
)  # the writer of cases rules on questions, too
OF_SCENARIOS = ("scenarios", "reader")
