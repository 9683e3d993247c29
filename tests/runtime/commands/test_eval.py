"""`worldsmith eval`: scores, stores that are resumed, what models cost, and rates."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.load import load_domain
from runtime.harness.evaluation.rates import digests_of, fresh_rates, read_rates
from runtime.harness.evaluation.store import read_run
from runtime.task.task_file import read_tasks
from tests.conftest import LIBRARY, Cli, until
from tests.runtime.model.messages_api import Reply, refused, serve_messages, text, turned

Eval = Callable[..., str]

DONE = turned(text("That is done."), prompt=1_000, completion=100)
LIMITED = refused(429, "rate_limit_error", "Slow down.", retry_after_ms="1")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(LIBRARY, tmp_path / "library")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def evaluate(cli: Cli) -> Eval:
    """Play the library's three tasks."""

    def run(*words: object, agent: str = "reference", status: int = 0) -> str:
        return cli("eval", "./library", "--agent", agent, "--user", "none", *words, status=status)

    return run


def episodes(store: str) -> dict[tuple[str, int], int | None]:
    """The reward of each task's trials in a store."""
    return {(record.task, record.trial): record.reward for record in read_run(Path(store)).records()}


def test_the_reference_agent_is_rewarded_for_every_task(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "./library", "--agent", "reference", "--user", "none", "--trials", "2", "--json"]) == 0
    printed = capsys.readouterr()
    figures = json.loads(printed.out)
    assert [(each["k"], each["value"], each["low"], each["high"], each["tasks"]) for each in figures["pass_hat_k"]] == [
        (1, 1.0, 0.438503, 1.0, 3),
        (2, 1.0, 0.438503, 1.0, 3),
    ]
    assert figures["intervals"] == {"method": "wilson", "level": 0.95, "over": "tasks"}
    store = "runs/library-reference.db"
    assert (figures["episodes"], figures["void"], figures["idle"], figures["store"]) == (6, 0, 0.0, store)
    assert printed.err.startswith(f"3 tasks, 6 episodes, 6 owed; store: {store}\n")
    assert "6 of 6, reward 1.000" in printed.err


def test_a_store_is_of_one_agent_and_a_fresh_run_keeps_the_earlier_one_beside_it(
    evaluate: Eval, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate("--store", "run.db", "--fresh")  # nothing is there yet
    kept = episodes("run.db")
    idle = ["eval", "./library", "--agent", "idle", "--user", "none", "--store", "run.db"]
    assert main(idle) == 2
    said = "has agent 'reference', not 'idle'; give another --store, or --fresh to start a new one."
    assert said in capsys.readouterr().err
    assert episodes("run.db") == kept
    assert main([*idle, "--fresh"]) == 0
    assert "--fresh: the old run of run.db is now in run.1.db\n" in capsys.readouterr().err
    assert (episodes("run.1.db"), read_run(Path("run.db")).config.agent) == (kept, "idle")


def test_tasks_of_a_file_are_played_by_split_and_level_and_judged_again(evaluate: Eval, cli: Cli) -> None:
    tasks = [json.loads(line) for line in Path("library/tasks.jsonl").read_text(encoding="utf-8").splitlines()]
    marks = [("train", 3), ("held_out", 3), ("held_out", 5)]
    for number, (task, (split, level)) in enumerate(zip(tasks, marks, strict=True)):
        task.update(id=f"mine-{number}", split=split, difficulty={"complexity": level})
    Path("mine.jsonl").write_text("\n".join(map(json.dumps, tasks)), encoding="utf-8")
    words = ("--store", "run.db", "--tasks", "mine.jsonl", "--split", "held_out", "--level", "3,4", "--json")
    figures = json.loads(evaluate(*words))
    assert (figures["episodes"], list(figures["by_difficulty"])) == (1, ["3"])
    assert [task for _, task in read_run(Path("run.db")).tasks] == ["mine-1"]
    said = "domain 'library' has no task 'mine-1' now; it is judged as the run stored it"
    assert said in cli("rescore", "run.db", "--domain", "./library")
    again = cli("rescore", "run.db", "--domain", "./library", "--tasks", "mine.jsonl")
    assert again == "1 verdict given again, 0 flipped\n"
    for kind in ("messages", "sft", "rl"):
        cli("export", "run.db", "--format", kind, "--out", "out.jsonl")
        (line,) = map(json.loads, Path("out.jsonl").read_text().splitlines())
        assert (line["task"], line["split"], line["level"]) == ("mine-1", "held_out", 3)


def test_programs_that_never_reach_their_server_are_void_and_not_scored(capsys: pytest.CaptureFixture[str]) -> None:
    program = f"command:{sys.executable} -c 'import sys; sys.exit(\"no such model: x\")'"
    words = ["--agent", program, "--agent-name", "My agent", "--user", "none", "--task", "keep-a-book"]
    assert main(["eval", "./library", *words]) == 1
    printed = capsys.readouterr()
    assert "agent My agent, user none" in printed.out
    assert "There is no score: every episode is void" in printed.out
    said = "trial 0 is void: The program never connected to its MCP server; it ended with exit status 1: no such model"
    assert said in printed.err


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (Reply(page="<html>Welcome to our portal</html>"), "does not speak this API: it sent no events"),
        (refused(400, "invalid_request_error", "Your credit balance is too low."), "credit"),
    ],
)
def test_what_can_never_work_ends_the_command_at_once_in_one_sentence(
    reply: Reply, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_messages(reply) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        words = ["--agent", "anthropic:my-model", "--user", "none", "--trials", "4", "--concurrency", "1"]
        assert main(["eval", "./library", *words]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("error: ")
    assert sentence in last
    assert len(api.bodies) == 1


def test_what_can_pass_is_tried_again_and_said_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_messages(LIMITED, LIMITED, DONE) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        assert main(["eval", "./library", "--agent", "anthropic:my-model", "--user", "none", "--concurrency", "2"]) == 0
    said = "anthropic:my-model: the server answered 429: Slow down; try 2 of 8 in "
    assert capsys.readouterr().err.count(said) == 1


def test_a_price_makes_the_cost_known_and_the_bound_holds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play = ["eval", "./library", "--agent", "anthropic:my-model", "--user", "none", "--trials", "4", "--json"]
    play += ["--concurrency", "1"]
    with serve_messages(DONE) as api:  # an episode costs 1,000 of 1 dollar and 100 of 5 dollars a million: 0.0015
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        assert main([*play, "--price", "my-model=1,5", "--max-cost", "0.005"]) == 1
        printed = capsys.readouterr()
        figures = json.loads(printed.out)
        assert (figures["episodes"], figures["cost"], figures["owed"]) == (4, 0.006, 8)
        assert (figures["tasks"], figures["asked"], figures["missing"]) == (3, 12, 8), "one trial of every task"
        assert "--max-cost 0.005 is spent; 8 episodes not played, raise it to go on\n" in printed.err
        assert main([*play, "--price", "my-model=2,10", "--max-cost", "0.008"]) == 1
    figures = json.loads(capsys.readouterr().out)  # another price goes on with the same run
    assert (figures["episodes"], figures["cost"]) == (5, 0.009)


@pytest.mark.parametrize(("how", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_stopped_run_keeps_what_is_finished_and_owes_the_rest(
    how: signal.Signals, status: int, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    words = ["eval", "./library", "--agent", "anthropic:my-model", "--user", "none", "--trials", "4"]
    words += ["--concurrency", "1", "--store", "run.db"]
    released = threading.Event()
    waiting = turned(text("Too late."), hold=released)
    with serve_messages(DONE, DONE, DONE, DONE, DONE, waiting) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        with subprocess.Popen(
            [sys.executable, "-m", "generator", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            until(lambda: len(api.bodies) == 6, 60)
            process.send_signal(how)
            out, said = process.communicate(timeout=60)
        released.set()
    assert (process.returncode, out, "Traceback" in said) == (status, "", False)
    kept = episodes("run.db")
    assert len(kept) == 5
    if how == signal.SIGINT:
        last = "stopped: kept 5 of 12 episodes in run.db; the same command plays the rest"
        assert said.splitlines()[-1] == last
    with serve_messages(DONE) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        figures = json.loads(cli(*words, "--json"))
    assert (figures["episodes"], figures["owed"], len(api.bodies)) == (12, 0, 7)
    assert kept.items() <= episodes("run.db").items()


def test_rates_say_how_often_each_task_was_solved_with_faults_beside_without(evaluate: Eval) -> None:
    said = evaluate("--trials", 2, "--rates", "--store", "plain.db", agent="blind")
    assert "2  1.000 (0.439-1.000)  1.000 (0.439-1.000)\n" in said
    assert "library/rates.jsonl: 3 rates of blind" in said
    said = evaluate("--trials", 2, "--rates", "--store", "harsh.db", "--faults", "harsh", agent="blind")
    assert "tasks measured both ways: 1.000 without faults, 0." in said.splitlines()[-1]
    kept = [(each.task, each.faults, each.n) for each in read_rates(Path("library/rates.jsonl"))]
    names = ("keep-a-book", "card-and-queue", "late-and-next")
    assert kept == [(name, faults, 2) for faults in ("", "harsh") for name in names]
    evaluate("--task", "keep-a-book", "--trials", 3, "--store", "plain.db", agent="blind")
    figures = json.loads(
        evaluate("--task", "keep-a-book", "--rates", "--trials", 1, "--json", "--store", "plain.db", agent="blind")
    )
    assert figures["episodes"] == 7  # of all stored trials


def test_poisoned_rows_are_told_beside_the_clean_run_and_judged_again(evaluate: Eval, cli: Cli) -> None:
    evaluate("--trials", 2, "--store", "clean.db", agent="gullible")
    assert "leave out --poison" in evaluate("--rates", "--poison", "mild", agent="gullible", status=2)
    figures = json.loads(
        evaluate("--trials", 2, "--store", "poison.db", "--poison", "mild", "--json", agent="gullible")
    )
    poison, config = figures["poison"], figures["config"]
    assert (poison["attack_success"], poison["read"], config["poison"]) == (1.0, poison["episodes"], "mild")
    assert sum(each["episodes"] for each in poison["by_place"].values()) == poison["episodes"]
    assert "did what a poisoned text asked" in figures["failures"][0]["reason"]
    compared = cli("compare", "clean.db", "poison.db")
    assert "A  mean reward 1.000  agent" in compared
    assert "B  mean reward 0.000, attack success 1.000  agent" in compared
    assert "poison: none in A, mild in B" in compared
    assert "0 flipped" in cli("rescore", "poison.db")
    cli("report", "poison.db")
    page = Path("poison.html").read_text()
    assert "Attack success by style" in page
    assert "drawPoison" in page


def test_a_rate_of_a_task_or_a_rule_that_changed_is_stale(evaluate: Eval) -> None:
    def fresh() -> int:
        domain = load_domain(Path("library"))
        tasks = {("library", name): task for name, task in read_tasks(domain).items()}
        return len(fresh_rates(read_rates(Path("library/rates.jsonl")), digests_of(tasks, {"library": domain.digest})))

    evaluate("--trials", 1, "--rates")
    tasks = Path("library/tasks.jsonl")
    tasks.write_text(tasks.read_text().replace('"title":"', '"title":"Again: ', 1))
    assert fresh() == 3  # a title is not played
    words = tasks.read_text().splitlines()[0].partition('"words":["')[2][:12]
    tasks.write_text(tasks.read_text().replace(words, f"Hello! {words}", 1))
    assert fresh() == 2
    with Path("library/policy.md").open("a") as policy:
        policy.write("\nNobody borrows on Sundays.\n")
    assert fresh() == 0


def test_a_file_that_holds_no_rates_is_refused_before_anything_is_played(evaluate: Eval) -> None:
    Path("library/rates.jsonl").write_text("no JSON\n")
    assert "rates.jsonl', line 1, is not a rate that `eval --rates` wrote: " in evaluate("--rates", status=2)
    assert not Path("runs").exists()
