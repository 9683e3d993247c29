"""Domains and tasks are found by name, filtered exactly, read once, and found again by other processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.errors import UsageError
from tests.conftest import LIBRARY as FEW
from tests.making import write_domain
from tests.runtime.suite_files import write_suite_file
from tests.worldsmith.playing import play
from worldsmith import DomainTask, Suite, load, tasks


def test_split_and_level_are_matched_exactly() -> None:
    everything = tasks("job_seeking")
    stated = Counter((task.task.split, task.task.difficulty["complexity"]) for task in everything)
    for (split, level), count in stated.items():
        chosen = tasks("job_seeking", split=split, level=level)
        assert len(chosen) == count
        assert {(task.split, task.level) for task in chosen} == {(split, level)}
    assert sum(len(tasks("job_seeking", level=level)) for level in range(1, 6)) == len(everything)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        pytest.param(lambda: load("libary"), "no domain 'libary'; have: library", id="name"),
        pytest.param(
            lambda: load("./nowhere"), "'./nowhere' is not a domain folder; it has no domain.json.", id="path"
        ),
        pytest.param(
            lambda: tasks("library", split="test"),  # type: ignore[arg-type]
            "Domain 'library' has no task in split 'test'; have: held_out of level 1, ",
            id="split",
        ),
        pytest.param(
            lambda: tasks("job_seeking", level=9),
            "Domain 'job_seeking' has no task of level 9; have: held_out of level 1, ",
            id="level",
        ),
        pytest.param(
            lambda: tasks("library", level="1"),  # type: ignore[arg-type]
            "level is '1'; it must be an integer from 1 to 5, or a list of some.",
            id="level_as_text",
        ),
        pytest.param(
            lambda: tasks("library", file="/no/where.jsonl"),
            "'/no/where.jsonl' cannot be read: No such file or directory.",
            id="file",
        ),
        pytest.param(
            lambda: tasks(FEW, split="train", level=1),
            "Domain 'library' has no task in split 'train' of level 1; have: train of level unknown.",
            id="none_stated",
        ),
    ],
)
def test_what_cannot_be_had_is_one_clear_sentence(ask: Callable[[], object], sentence: str) -> None:
    with pytest.raises(UsageError) as raised:
        ask()
    assert str(raised.value).startswith(sentence.rstrip("."))


def test_a_domain_without_tasks_says_how_to_make_some(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no tasks; `worldsmith tasks small -n N` makes some"):
        tasks(write_domain(tmp_path))


def test_files_are_read_again_when_they_change(tmp_path: Path) -> None:
    folder = write_domain(tmp_path)
    domain = load(folder)
    assert load(str(folder)) is domain
    line = {"format": 2, "id": "one", "domain": "small", "title": "One", "world": {"seed": 1, "size": 1}}
    line["user"] = {"profile": "Brief.", "wishes": [{"words": ["Do something."]}]}
    (folder / "tasks.jsonl").write_text(json.dumps(line))
    assert [task.id for task in tasks(domain)] == ["one"]
    assert tasks(folder)[0] is tasks(domain)[0]
    (folder / "tasks.jsonl").write_text(json.dumps(line) + "\n" + json.dumps({**line, "id": "two"}))
    assert [task.id for task in tasks(domain)] == ["one", "two"]
    (folder / "policy.md").write_text("Be brief.")
    assert load(folder).policy == "Be brief."
    os.utime(folder / "policy.md", (1, 1))
    assert load(folder) is not domain


def _reward(task: DomainTask) -> int:
    return play(task)[0]


def test_tasks_of_another_file_are_found_again_in_another_process(tmp_path: Path) -> None:
    lines = (load("library").path / "tasks.jsonl").read_text().splitlines()
    mine = tmp_path / "mine.jsonl"
    mine.write_text(lines[0].replace('"keep-a-book"', '"my-own"'))
    (task,) = tasks("library", file=mine)
    assert (task.id, task.file) == ("my-own", mine)
    assert pickle.loads(pickle.dumps(task)) is task
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_reward, [task]) == [1]
    mine.write_text("")
    with pytest.raises(UsageError, match="The task file '.*mine.jsonl' has no task of domain 'library'"):
        tasks("library", file=mine)


def test_a_form_and_ids_choose_among_tasks() -> None:
    everything = tasks("job_seeking")
    form = min(everything[-1].forms)
    assert tasks("job_seeking", form=form) == tuple(task for task in everything if form in task.forms)
    assert [task.id for task in tasks("library", ids=["late-and-next", "keep-a-book"])] == [
        "keep-a-book",
        "late-and-next",
    ]


def test_the_suite_that_is_carried_has_the_tasks_of_its_domains_one_after_another() -> None:
    suite = Suite.read("small")
    assert suite.domains == (load("library"), load("job_seeking"), load("second_hand_marketplace"))
    chosen = suite.tasks()
    assert len(chosen) == len(suite) == 24
    assert set(chosen[:3]) <= set(tasks("library", split="train"))
    assert set(chosen[3:19]) < set(tasks("job_seeking", split="held_out"))
    assert Counter(task.level for task in chosen[3:19]) == {1: 3, 2: 4, 3: 4, 4: 1, 5: 4}
    assert set(chosen[19:]) < set(tasks("second_hand_marketplace", split="held_out"))


def test_tasks_of_a_suite_are_narrowed_played_and_found_again(tmp_path: Path) -> None:
    suite = Suite.read(write_suite_file(tmp_path, {"first": 3, "second": 2}))
    assert [repr(task) for task in suite.tasks(level=2)] == [
        "DomainTask('first', 'task-1')",
        "DomainTask('second', 'task-1')",
    ]
    assert suite.tasks(split="train", form="direct", level=[1, 2, 3]) == suite.tasks()
    task = suite.tasks(level=3)[0]
    reward, _ = play(task)
    assert reward == 1
    assert pickle.loads(pickle.dumps(task)).task == task.task
    for asked, sentence in (
        ({"split": "held_out", "level": 5}, "The suite 'many' has no task of level 5 in split 'held_out'."),
        ({"form": "coupled"}, "The suite 'many' has no task of form 'coupled'."),
        ({"split": "test"}, "The suite 'many' has no task in split 'test'."),
    ):
        with pytest.raises(UsageError, match=sentence):
            suite.tasks(**asked)  # type: ignore[arg-type]
