"""What the lines of each format hold, of episodes that were really played."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.harness.conversation import Message
from runtime.harness.evaluation.store import Run
from runtime.harness.export import ExportCounts, advantages, episode_lines, group_lines, line, sft_lines
from tests.runtime.harness.played import keep, play_reference, some_episodes

Lines = Callable[[Run, ExportCounts], Iterator[dict[str, Any]]]
FORMATS: list[Lines] = [episode_lines, sft_lines, group_lines]


@pytest.fixture(scope="module")
def run(library: Domain, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return keep(tmp_path_factory.mktemp("run") / "run.db", library, some_episodes(library))


def _lines(lines: Lines, run: Run) -> list[dict[str, Any]]:
    return [json.loads(line(each)) for each in lines(run, ExportCounts())]


def test_messages_has_every_episode_in_order_with_its_verdict(run: Run) -> None:
    found = _lines(episode_lines, run)
    records = list(run.records())
    assert [(each["task"], each["trial"]) for each in found] == [(each.task, each.trial) for each in records]
    assert [each["reward"] for each in found] == [each.reward for each in records]
    assert found[-1]["end"] == "void"
    assert found[-1]["reward"] is None


def test_messages_are_those_of_the_openai_api(run: Run) -> None:
    found = _lines(episode_lines, run)[0]
    roles = [each["role"] for each in found["messages"]]
    assert roles[:3] == ["system", "assistant", "user"]
    calling = [each for each in found["messages"] if "tool_calls" in each]
    assert calling
    answered = iter([each for each in found["messages"] if each["role"] == "tool"])
    for message in calling:
        for call in message["tool_calls"]:
            assert call["type"] == "function"
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert next(answered)["tool_call_id"] == call["id"]
    assert next(answered, None) is None


@pytest.mark.parametrize("lines", FORMATS, ids=lambda each: each.__name__)
def test_all_lines_have_the_same_fields_of_the_same_types(run: Run, lines: Lines) -> None:
    """Otherwise a reader of tables fills what is missing with nulls, or refuses the file."""
    found = _lines(lines, run)
    assert len(found) > 1
    assert len({tuple(each) for each in found}) == 1
    for name in found[0]:
        kinds = {type(each[name]) for each in found} - {type(None)}
        assert len(kinds) == (0 if name == "level" else 1), name  # the library's tasks state no level
    shapes = {"role": str, "content": str, "tool_calls": list, "tool_call_id": str}
    for message in _messages(found):
        assert {name: type(value) for name, value in message.items()}.items() <= shapes.items()


def test_sft_holds_only_reached_goals_and_trains_on_what_came_after_the_opening(run: Run) -> None:
    tally = ExportCounts()
    found = [json.loads(line(each)) for each in sft_lines(run, tally)]
    assert len(found) == sum(each.reward == 1 for each in run.records()) == 4
    assert tally.left_out == {"reward below 1": 4, "void": 1}
    for each in found:
        assert [message["role"] for message in each["prompt"]] == ["system", "assistant", "user"]
        assert each["completion"][0]["role"] == "assistant"
        assistants = [message["role"] == "assistant" for message in each["completion"]]
        assert each["by_agent"] == assistants


def test_a_group_is_a_task_with_its_trials_and_their_advantages(run: Run) -> None:
    tally = ExportCounts()
    found = {each["task"]: each for each in group_lines(run, tally)}
    assert list(found) == list(dict.fromkeys(each.task for each in run.records()))
    assert found["keep-a-book"]["rewards"] == [1.0, 0.0, 0.0]
    assert found["keep-a-book"]["advantages"] == pytest.approx([2**0.5, -(0.5**0.5), -(0.5**0.5)])
    assert tally.episodes == 8
    assert tally.lines == 3


def test_where_users_opened_in_different_words_the_prompt_ends_before_them(library: Domain, tmp_path: Path) -> None:
    one, other = (play_reference(library, "keep-a-book", trial=trial) for trial in (0, 1))
    words = tuple(Message("user", "Hi!") if each.role == "user" else each for each in other.messages)
    run = keep(tmp_path / "run.db", library, [one, replace(other, messages=words)])
    (group,) = _lines(group_lines, run)
    assert [each["role"] for each in group["prompt"]] == ["system", "assistant"]
    assert [each[0]["content"] for each in group["completions"]] == [one.messages[2].text, "Hi!"]
    assert [each[0] for each in group["by_agent"]] == [False, False]


def _messages(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for each in lines:
        for name in ("messages", "prompt", "completion"):
            found += each.get(name, [])
        for completion in each.get("completions", []):
            found += completion
    return found


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        pytest.param([1, 0, 0, 0], [3**0.5, -(3**-0.5), -(3**-0.5), -(3**-0.5)], id="one_of_four"),
        pytest.param([0.0, 0.5, 1.0], [-(1.5**0.5), 0.0, 1.5**0.5], id="thirds"),
        pytest.param([0.1, 0.1, 0.1], [0.0, 0.0, 0.0], id="no_variance_but_for_rounding"),
        pytest.param([], [], id="nobody"),
    ],
)
def test_advantages_are_deviations_from_the_mean_in_units_of_the_groups_own(
    rewards: list[float], expected: list[float]
) -> None:
    assert advantages(rewards) == pytest.approx(expected)
