"""The lending domain as it is when its scenarios are asked for."""

from __future__ import annotations

import pytest

from generator.author.design import Catalogue, DatabaseDesign
from generator.author.draft import Draft
from generator.author.stages.code import with_tables
from generator.author.stages.scenario_groups import FormDealer, Group
from generator.author.writing.code import TopicCode
from tests.generator import lending


@pytest.fixture(scope="module")
def draft() -> Draft:
    """The lending domain as it is when its scenarios are asked for."""
    answers = lending.answers()
    made = Draft(
        "tool_lending",
        Catalogue.model_validate(answers["tools", "catalogue"]),
        DatabaseDesign.model_validate(answers["database", "schema"]),
        world=answers["world", "program"]["code"],
        code={"lendings": TopicCode.model_validate(answers["code", "lendings"])},
    )
    return with_tables(made)


@pytest.fixture(scope="module")
def group(draft: Draft) -> Group:
    """All tools of the lending domain."""
    (only,) = FormDealer(draft).groups()
    return only
