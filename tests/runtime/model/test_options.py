"""How a model and its options are read from a spec."""

from __future__ import annotations

import pytest

from runtime.errors import UsageError
from runtime.model.options import ModelOptions, model_of, read_spec


@pytest.mark.parametrize(
    ("words", "model", "options"),
    [
        ("qwen3:8b", "qwen3:8b", ModelOptions()),
        ("openai/gpt-9:free", "openai/gpt-9:free", ModelOptions()),
        ("Qwen/Qwen3-8B,temperature=0.6,max_tokens=900", "Qwen/Qwen3-8B", ModelOptions(0.6, 900)),
        ("m,effort=low,thinking=off,seed=0", "m", ModelOptions(effort="low", thinking=False, seed=0)),
        ("base,lora", "base,lora", ModelOptions()),
        ("base,lora,thinking=on", "base,lora", ModelOptions(thinking=True)),
    ],
)
def test_options_stand_behind_the_model_with_commas_between(words: str, model: str, options: ModelOptions) -> None:
    spec = read_spec("openai", words)
    assert (spec.model, spec.options) == (model, options)


@pytest.mark.parametrize(
    ("api", "words", "sentence"),
    [
        ("openai", "m,temprature=1", "openai:MODEL has no option 'temprature' in 'm,temprature=1'; have: temperature."),
        ("anthropic", "m,seed=1", "anthropic:MODEL has no option 'seed' in 'm,seed=1'; have: "),
        (
            "openai",
            "m,temperature=hot",
            "Option 'temperature' is 'hot' in 'm,temperature=hot'; give a number",
        ),
        ("openai", "m,temperature=nan", "give a number from 0 to 2."),
        ("openai", "m,max_tokens=0", "give a number of tokens from 1."),
        ("openai", "m,thinking=yes", "give on or off."),
        ("openai", "m,effort=", "give a word that the server knows, such as low, medium or high."),
        ("openai", "m,seed=-1", "give a whole number from 0 to 2147483647."),
        ("openai", "m,seed=1,seed=2", "Option 'seed' appears twice in 'm,seed=1,seed=2'."),
        ("openai", ",seed=1", "Model 'openai:,seed=1' is not complete"),
    ],
)
def test_an_option_that_is_not_one_is_said_in_one_sentence(api: str, words: str, sentence: str) -> None:
    with pytest.raises(UsageError) as failed:
        read_spec(api, words)
    assert sentence in str(failed.value)
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("openai:m,seed=1", "m"),
        ("reader:openai:a/b:free,temperature=0", "a/b:free"),
        ("anthropic:claude-x", "claude-x"),
        ("relay:DIR", None),
        ("scripted", None),
        ("openai:", None),
    ],
)
def test_what_is_paid_for_is_the_model_without_its_options(name: str, model: str | None) -> None:
    assert model_of(name) == model
