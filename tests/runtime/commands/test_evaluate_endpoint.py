"""Claims about `worldsmith eval` with a model behind an endpoint: what is said when it fails, and what it may cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from tests.conftest import LIBRARY
from tests.runtime.model.messages_api import MessagesApi, Reply, refused, serve_messages, text, turned

Eval = Callable[..., int]

DONE = turned(text("That is done."), prompt=1_000, completion=100)
PAGE = Reply(page="<html>Welcome to our portal</html>")
LIMITED = refused(429, "rate_limit_error", "Slow down.", retry_after_ms="1")


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Eval:
    """Run the command on the library with a model at the given endpoint."""

    def run(api: MessagesApi | str, *words: object, model: str = "my-model") -> int:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api if isinstance(api, str) else api.url)
        options = ["--agent", f"anthropic:{model}", "--user", "none"]
        return main(["eval", str(LIBRARY), *options, "--store", str(tmp_path / "run.db"), *map(str, words)])

    return run


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        pytest.param(PAGE, "does not speak this API: it sent no events", id="web_page"),
        pytest.param(
            refused(404, "not_found_error", "model: x"),
            "the server answered 404: model: x; check ANTHROPIC_BASE_URL",
            id="model",
        ),
        pytest.param(refused(401, "authentication_error", "invalid x-api-key"), "and ANTHROPIC_API_KEY", id="key"),
        pytest.param(refused(400, "invalid_request_error", "Your credit balance is too low."), "credit", id="account"),
    ],
)
def test_what_can_never_work_ends_the_command_at_once_in_one_sentence(
    evaluate: Eval, capsys: pytest.CaptureFixture[str], reply: Reply, sentence: str
) -> None:
    with serve_messages(reply) as api:
        assert evaluate(api, "--trials", 4, "--concurrency", 1) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("error: ")
    assert sentence in last
    assert len(api.bodies) == 1


@pytest.mark.parametrize("processes", [1, 2])
def test_what_can_pass_is_tried_again_and_said_once(
    evaluate: Eval, capfd: pytest.CaptureFixture[str], processes: int
) -> None:
    with serve_messages(LIMITED, LIMITED, DONE) as api:
        assert evaluate(api, "--concurrency", 2, "--processes", processes) == 0
    said = capfd.readouterr().err
    assert 1 <= said.count("anthropic:my-model: the server answered 429: Slow down; try 2 of 8 in ") <= processes


def test_a_price_makes_the_cost_known_and_the_bound_holds(evaluate: Eval, capsys: pytest.CaptureFixture[str]) -> None:
    with serve_messages(DONE) as api:  # an episode costs 1,000 of 1 dollar and 100 of 5 dollars a million: 0.0015
        assert (
            evaluate(api, "--trials", 4, "--price", "my-model=1,5", "--max-cost", "0.005", "--concurrency", 1, "--json")
            == 1
        )
        captured = capsys.readouterr()
        figures = json.loads(captured.out)
        assert (figures["episodes"], figures["cost"], figures["owed"]) == (4, 0.006, 8)
        assert (figures["tasks"], figures["asked"], figures["missing"]) == (3, 12, 8), "one trial of every task"
        assert "--max-cost 0.005 is spent; 8 episodes not played, raise it to go on\n" in captured.err
        more = ["--price", "my-model=2,10", "--max-cost", "0.008", "--concurrency", 1]
        assert evaluate(api, "--trials", 4, *more, "--json") == 1
    figures = json.loads(capsys.readouterr().out)  # another price goes on with the same run
    assert (figures["episodes"], figures["cost"]) == (5, 0.009)
