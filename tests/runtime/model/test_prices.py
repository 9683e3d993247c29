"""What tokens cost, and how usage is estimated and added up."""

from __future__ import annotations

import pytest

from runtime.model.model import Turn, Usage, estimate_tokens, estimate_usage, total_usage
from runtime.model.prices import PRICES, find_price, knows_cost
from tests.runtime.model.asking import a_request


def test_each_kind_of_token_has_its_price() -> None:
    price = PRICES["claude-opus-5"]
    assert price.of(1_000_000, 0, 0, 0) == 5
    assert price.of(0, 1_000_000, 0, 0) == 6.25
    assert price.of(0, 0, 1_000_000, 0) == 0.5
    assert price.of(0, 0, 0, 1_000_000) == 25


def test_a_long_prompt_makes_the_whole_request_dearer_where_it_does() -> None:
    price = PRICES["claude-haiku-5-5"]
    assert price.of(60_000, 20_000, 20_000, 1_000) == pytest.approx((6_000 + 2_500 + 200 + 500) / 1e6)
    assert price.of(60_000, 20_000, 20_001, 1_000) == pytest.approx((30_000 + 12_500 + 1_000.05 + 2_500) / 1e6)


@pytest.mark.parametrize("name", PRICES)
def test_a_cache_costs_more_to_write_and_less_to_read(name: str) -> None:
    price = PRICES[name]
    assert price.cached < price.prompt < price.write < price.completion


def test_a_dated_name_has_the_price_of_its_model() -> None:
    assert find_price("claude-opus-4-5-20251101") is PRICES["claude-opus-4-5"]
    assert find_price("claude-opus-9") is None


@pytest.mark.parametrize(
    ("name", "known"),
    [("anthropic:claude-opus-5-5", True), ("anthropic:qwen", False), ("relay:x", True), ("recorded", True)],
)
def test_the_cost_is_known_of_listed_models_and_of_what_is_not_paid_for(name: str, known: bool) -> None:
    assert knows_cost(name) == known


def test_four_characters_are_estimated_as_a_token() -> None:
    assert (estimate_tokens(), estimate_tokens("abc"), estimate_tokens("abcd", "e")) == (0, 1, 2)


def test_an_estimate_counts_all_that_is_sent() -> None:
    bare = a_request(prefix="", prompt="", schema={})
    assert estimate_usage(bare, "x" * 8) == Usage(1, 2, estimated=True)
    long = "x" * 4_000
    for request in (
        a_request(prefix=long, prompt="", schema={}),
        a_request(prefix="", prompt=long, schema={}),
        a_request(prefix="", prompt="", schema={"title": long}),
        a_request(prefix="", prompt="", schema={}, earlier=(Turn({"a": long}, ()),)),
        a_request(prefix="", prompt="", schema={}, earlier=(Turn({}, (long,)),)),
    ):
        assert 1_000 < estimate_usage(request, "").prompt < 1_010


def test_a_sum_is_estimated_or_of_unknown_cost_if_a_part_is() -> None:
    assert total_usage([]) == Usage(0, 0)
    parts = [Usage(1, 2, 3, cost=0.5), Usage(1, 2, 3, estimated=True, cost=0.25)]
    assert total_usage(parts) == Usage(2, 4, 6, estimated=True, cost=0.75)
    assert total_usage([*parts, Usage(0, 0, cost=None)]).cost is None
