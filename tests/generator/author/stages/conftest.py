"""The lending domain as it is when its scenarios are asked for."""

from __future__ import annotations

import pytest

from generator.author.draft import Draft
from generator.author.stages.scenario_groups import FormDealer, Group
from tests.generator.author.stages.drafts import lending_draft


@pytest.fixture(scope="module")
def draft() -> Draft:
    """The lending domain as it is when its scenarios are asked for."""
    return lending_draft()


@pytest.fixture(scope="module")
def group(draft: Draft) -> Group:
    """All tools of the lending domain."""
    (only,) = FormDealer(draft).groups()
    return only
