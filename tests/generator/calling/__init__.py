"""A small domain with callers as a model would answer it: neighbours borrow from a shed that has rules of its own."""

from __future__ import annotations

import copy
from typing import Any, get_args

from runtime.task.user import TIMED_FORMS, Form
from tests.generator.calling.design import CATALOGUE, DATABASE, PEOPLE, WORLD
from tests.generator.calling.rules import RULE_CASES, RULES
from tests.generator.calling.story import (
    BORROW,
    CONDITIONS,
    EXTEND,
    GIVE,
    PHONE,
    RETURN,
    WITHHELD,
    leave_out,
    scenarios,
)
from tests.generator.calling.tools import CASES_LENDINGS, CASES_NEIGHBOURS, CODE_LENDINGS, CODE_NEIGHBOURS

FORMS = tuple(form for form in get_args(Form) if form not in ("direct", "denied", "fallback", *TIMED_FORMS))
KEYWORD = "neighbourhood shed"
COUNT = 8


def answers() -> dict[Any, dict[str, Any]]:
    """The answers by stage and key; a copy that a test may change. What readers answer, a test says itself."""
    return copy.deepcopy(
        {
            "screen": {"decision": "go", "reason": "A shed lends tools.", "domain": "lending tools to neighbours"},
            ("tools", "catalogue"): CATALOGUE,
            ("database", "schema"): DATABASE,
            ("people", "callers"): PEOPLE,
            ("world_reading", "rows"): {"impossible": []},
            ("world", "program"): {"code": WORLD},
            ("code", "lendings"): CODE_LENDINGS,
            ("code", "neighbours"): CODE_NEIGHBOURS,
            ("cases", "lendings"): CASES_LENDINGS,
            ("cases", "neighbours"): CASES_NEIGHBOURS,
            ("rules", "rules"): RULES,
            ("rule_cases", "rules-1"): RULE_CASES,
            ("scenarios", "lendings-neighbours"): {
                "conditions": CONDITIONS,
                "scenarios": [
                    *scenarios(
                        borrow_an_item=BORROW, bring_an_item_back=RETURN, give_a_new_number=PHONE, give_an_item=GIVE
                    ),
                    *scenarios(
                        "denied",
                        "NOT_OVERDUE",
                        extend_a_lending=EXTEND.replace("DAYS", "[7, 8, 10]"),
                        extend_it_a_little=EXTEND.replace("DAYS", "[1, 2, 3]"),
                    ),
                    *scenarios(
                        "withheld",
                        keep_it_longer=WITHHELD.replace("WORDS_FORMAL", "I would like to").replace("WORDS", "Can I"),
                        keep_it_for_a_job=WITHHELD.replace("WORDS_FORMAL", "Could I please").replace(
                            "WORDS", "The job isn't done. I'd like to"
                        ),
                    ),
                ],
                **leave_out("MOST_OUT", *FORMS),
            },
            ("scenarios", "lendings-neighbours-2"): leave_out(*FORMS),
            ("scenarios", "lendings-neighbours-3"): leave_out(*FORMS),
            ("scenarios", "gate-1"): {"probability": 0.1, "reason": "Every tool is called already."},
        }
    )
