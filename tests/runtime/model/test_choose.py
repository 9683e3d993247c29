"""From the words of a command line to models: roles, options, typos, and what tokens cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.model.book import AnswerBook, RecordedModel
from runtime.model.choose import choose_models
from runtime.model.model import PRICES, ModelOptions, find_price, knows_cost, model_of, read_spec
from tests.conftest import refused
from tests.runtime.model.asking import GOOD, ask
from tests.runtime.model.scripted import ScriptedModel

ROLES = ("designer", "tester")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    with AnswerBook.open(path, {}) as book:
        ask(RecordedModel(book, ScriptedModel({"tools": GOOD})))
    return path


def test_a_role_can_have_a_model_of_its_own(tmp_path: Path) -> None:
    models = choose_models(["anthropic:qwen", f"tester=relay:{tmp_path}"], ROLES)
    assert models.of("designer").name == "anthropic:qwen"
    assert models.of("tester").name == f"relay:{tmp_path}"


def test_recorded_answers_of_a_file_are_replayed_and_written_into_the_book(record: Path, tmp_path: Path) -> None:
    assert ask(choose_models([f"recorded:{record}"], ROLES).of("tester")).content == GOOD
    with AnswerBook.open(tmp_path / "book.jsonl", {}) as book:
        ask(choose_models([f"recorded:{record}"], ROLES, book=book).of("designer"))
        assert [(entry.key, entry.answer.model) for entry in book] == [("hotel", "scripted")]


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        pytest.param([], "No model for 'designer'; give --model SPEC or --model designer=SPEC", id="none"),
        pytest.param(["antropic:x"], "No model 'antropic:x'; have: anthropic:MODEL, openai:MODEL,", id="kind"),
        pytest.param(
            ["tests=anthropic:x"], "No role 'tests' in --model 'tests=anthropic:x'; have: designer,", id="role"
        ),
        pytest.param(["recorded"], "no answers here; name them with recorded:FILE", id="no_book"),
        pytest.param(["anthropic:a", "anthropic:b"], "--model is given twice for all roles", id="twice"),
    ],
)
def test_a_wrong_choice_is_said_in_one_line_with_what_there_is(specs: list[str], said: str) -> None:
    with refused(said):
        choose_models(specs, ROLES)


@pytest.mark.parametrize(
    ("words", "model", "options"),
    [
        ("openai/gpt-9:free", "openai/gpt-9:free", {}),
        ("Qwen/Qwen3-8B,temperature=0.6,max_tokens=900", "Qwen/Qwen3-8B", {"temperature": 0.6, "max_tokens": 900}),
        ("base,lora,thinking=on", "base,lora", {"thinking": True}),
    ],
)
def test_options_follow_the_model_with_commas_between(words: str, model: str, options: dict[str, object]) -> None:
    assert read_spec("openai", words) == (model, ModelOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("api", "words", "sentence"),
    [
        ("openai", "m,temprature=1", "openai:MODEL has no option 'temprature' in 'm,temprature=1'; have: temperature."),
        ("anthropic", "m,seed=1", "anthropic:MODEL has no option 'seed' in 'm,seed=1'; have: "),
        ("openai", "m,temperature=hot", "Option 'temperature' is 'hot' in 'm,temperature=hot': Input"),
        ("openai", "m,seed=1,seed=2", "Option 'seed' appears twice in 'm,seed=1,seed=2'."),
        ("openai", ",seed=1", "Model 'openai:,seed=1' is not complete"),
    ],
)
def test_a_bad_option_is_one_sentence(api: str, words: str, sentence: str) -> None:
    with refused(sentence):
        read_spec(api, words)


@pytest.mark.parametrize(
    ("name", "model"),
    [("reader:openai:a/b:free,temperature=0", "a/b:free"), ("anthropic:claude-x", "claude-x"), ("relay:DIR", None)],
)
def test_a_price_is_of_the_model_without_its_options(name: str, model: str | None) -> None:
    assert model_of(name) == model


def test_prices_are_known_of_listed_models_dated_or_not_and_of_what_is_free() -> None:
    assert find_price("claude-opus-4-5-20251101") is PRICES["claude-opus-4-5"]
    names = ("anthropic:claude-opus-5-5", "anthropic:qwen", "relay:x", "recorded")
    assert [knows_cost(name) for name in names] == [True, False, True, True]
