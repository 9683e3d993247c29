"""Words are kept as a model put them only if every fact survives, none is added, and the task is proven still."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from generator.build.ask import Asker
from generator.build.narrate import FILE, Narration, WordsRequest, faults_of_wish, narrate, prove_words, request_for
from generator.main import main
from runtime.domain.domain import Domain
from runtime.model.answer_book import AnswerBook
from runtime.model.choose import Models
from runtime.model.model import Answer, Usage
from runtime.model.scripted import ScriptedModel
from runtime.task.task import Task
from runtime.task.task_file import read_tasks
from tests.conftest import LIBRARY
from tests.generator.building import Notes

CARD = "Hello there, a library card for me, please! I'm Tomas Lindqvist, new in town, and my phone is 555-0142."
KEEP = (
    "I haven't finished Winters for Beginners, could I keep it two weeks longer? And until when would that be, please?"
)


@pytest.fixture(scope="module")
def tasks(library: Domain) -> dict[str, Task]:
    """The library's three tasks."""
    return read_tasks(library)


def _with_wordings(task: Task, *wordings: str) -> Task:
    """The task with these wordings of its first wish."""
    first, *others = task.user.wishes
    wishes = [first.model_copy(update={"words": list(wordings)}), *others]
    return task.model_copy(update={"user": task.user.model_copy(update={"wishes": wishes})})


def _narrate(tasks: Sequence[Task], told: dict[str, list[str]]) -> tuple[Narration, ScriptedModel]:
    answer = {"tasks": [{"id": name, "words": words} for name, words in told.items()]}
    model = ScriptedModel({"narrate": answer})
    asker = Asker(Models(model, {}), Notes(), repairs=0)
    return asyncio.run(narrate(asker, tasks, LIBRARY, processes=1)), model


def test_a_good_rewrite_is_kept_and_nothing_else_of_the_task_changes(tasks: dict[str, Task]) -> None:
    keep = tasks["keep-a-book"]
    narration, model = _narrate([keep], {"keep-a-book": [KEEP]})
    (told,) = narration.tasks
    assert told.user.words == [KEEP]
    assert told == _with_wordings(keep, KEEP, *keep.user.wishes[0].words)
    assert narration.as_json == {"rewritten": 1, "plain": {}}
    assert "Who: Farid Becker, a patient reader who answers briefly." in model.requests[0].prompt
    assert "Letter by letter: Farid Becker | farid.becker6@example.org | 555-0508 | Winters for Beginners" in (
        model.requests[0].prompt
    )


@pytest.mark.parametrize(
    ("name", "number", "words", "fault"),
    [
        pytest.param(
            "keep-a-book",
            0,
            "Can I keep my book two weeks longer, and until when would that be? I haven't finished it.",
            "title 'Winters for Beginners' is missing",
            id="dropped_name",
        ),
        pytest.param(
            "keep-a-book",
            0,
            "I haven't finished Winters for Beginners. Can I keep it longer, and until when would that be?",
            "is missing",
            id="dropped_duration",
        ),
        pytest.param(
            "keep-a-book",
            0,
            "I haven't finished Winters for Beginners. Can I keep it three weeks longer, and until when would that be?",
            "the duration '2 weeks' is missing",
            id="changed_duration",
        ),
        pytest.param(
            "card-and-queue",
            0,
            CARD.replace("phone", "phone until May 12"),
            "which the expected text does not",
            id="added_date",
        ),
        pytest.param(
            "card-and-queue", 0, CARD.replace("new in town", "sent by Ursula"), "'Ursula' is added", id="added_name"
        ),
        pytest.param(
            "card-and-queue",
            0,
            CARD.replace("555-0142", "555-0143"),
            "phone '555-0142' is missing",
            id="changed_phone",
        ),
        pytest.param(
            "late-and-next",
            1,
            "Hello! Then I'd like to take The Last Lighthouses home with me today.",
            "it greets in the middle of a conversation",
            id="greeting",
        ),
        pytest.param(
            "late-and-next",
            1,
            "Then I'd not like to take The Last Lighthouses home with me today.",
            "negation differs",
            id="denied",
        ),
    ],
)
def test_words_that_say_another_thing_are_named(
    tasks: dict[str, Task], name: str, number: int, words: str, fault: str
) -> None:
    faults = list(faults_of_wish(tasks[name], number, words))
    assert any(fault in each for each in faults), faults


@pytest.mark.parametrize(("name", "words"), [("card-and-queue", CARD), ("keep-a-book", KEEP)])
def test_words_that_say_the_same_have_no_fault(tasks: dict[str, Task], name: str, words: str) -> None:
    assert list(faults_of_wish(tasks[name], 0, words)) == []


def test_a_dictated_text_stands_letter_by_letter(tasks: dict[str, Task]) -> None:
    task = tasks["card-and-queue"]
    plain = "Please note: Can only come on Saturdays after 2 pm"
    dictated = _with_wordings(task, plain)
    assert list(faults_of_wish(dictated, 0, f"Oh, and {plain[0].lower()}{plain[1:]}")) == []
    faults = list(faults_of_wish(dictated, 0, "Please note: can come only on Saturdays after 2 pm"))
    assert faults[0] == "note 'Can only come on Saturdays after 2 pm' is missing"


def test_one_wish_falls_back_without_the_others(tasks: dict[str, Task]) -> None:
    late = tasks["late-and-next"]
    bad = "I'm bringing back a book, a bit late, sorry. What does the delay cost me?"
    good = "Then I'd like to take home The Last Lighthouses with me today."
    narration, _ = _narrate([late], {"late-and-next": [bad, good]})
    assert narration.tasks[0].user.words == [late.user.words[0], good]
    assert narration.as_json == {"rewritten": 1, "plain": {"another meaning": 1}}
    assert narration.first_reasons["another meaning"] == (
        "late-and-next: book to return 'Prime Numbers after Dark' is missing"
    )


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        pytest.param({"late-and-next": ["One wish."]}, "late-and-next: 1 wishes came of 2", id="too_few"),
        pytest.param({}, "late-and-next: it was left out", id="left_out"),
        pytest.param({"other": ["a", "b"]}, "late-and-next: it was left out", id="another_task"),
    ],
)
def test_a_task_without_a_wish_for_each_stays_plain(
    tasks: dict[str, Task], told: dict[str, list[str]], reason: str
) -> None:
    narration, _ = _narrate([tasks["late-and-next"]], told)
    assert narration.tasks == [tasks["late-and-next"]]
    assert narration.plain == {"no wish for each wish": 2}
    assert narration.first_reasons["no wish for each wish"] == reason


def test_words_that_name_a_column_are_proven_wrong_and_the_plain_ones_come_back(tasks: dict[str, Task]) -> None:
    keep = tasks["keep-a-book"]
    named = KEEP.replace("longer", "longer (the due_on)")
    renamed = _with_wordings(keep, named)
    (fault, none) = prove_words(WordsRequest(LIBRARY, [renamed, keep])).faults
    assert fault.startswith("The user says the name 'due_on', which only the database knows")
    assert none == ""
    narration, _ = _narrate([keep], {"keep-a-book": [named]})
    assert narration.tasks == [keep]
    assert narration.as_json == {"rewritten": 0, "plain": {"unproven": 1}}


def test_an_unusable_answer_leaves_the_words_as_they_are(tasks: dict[str, Task]) -> None:
    model, notes = ScriptedModel({"narrate": {"words": []}}), Notes()
    asker = Asker(Models(model, {}), notes, repairs=0)
    narration = asyncio.run(narrate(asker, list(tasks.values()), LIBRARY, processes=1))
    assert narration.tasks == list(tasks.values())
    assert narration.rewritten == 0
    assert any("got no usable answer" in sentence for sentence in notes.sentences)


def test_tasks_are_narrated_from_recorded_answers_and_come_out_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = Path(shutil.copytree(LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__")))
    out = tmp_path / "tasks.jsonl"
    command = ["tasks", str(copy), "-n", "3", "--level", "1", "--out", str(out), "--processes", "1"]
    assert main(command) == 0
    made = [Task.model_validate_json(line) for line in out.read_text().splitlines()]
    told = [[f"{words} Thank you." for words in task.user.words] for task in made]
    answer = {"tasks": [{"id": task.id, "words": words} for task, words in zip(made, told, strict=True)]}
    with AnswerBook.open(copy / FILE, {"domain": "library"}) as book:
        book.add(request_for(made), Answer(answer, "scripted", Usage(10, 10)))
    narrated = [*command, "--narrate", "--model", "recorded"]
    capsys.readouterr()
    assert main([*narrated, "--json"]) == 0
    first, shown = out.read_bytes(), json.loads(capsys.readouterr().out)
    assert main(narrated) == 0
    assert out.read_bytes() == first
    changed = sum(
        new != old
        for task, words in zip(made, told, strict=True)
        for old, new in zip(task.user.words, words, strict=True)
    )
    assert changed > 0
    assert shown["narrated"]["rewritten"] == changed
    assert [Task.model_validate_json(line).user.words for line in first.decode().splitlines()] == told
    assert f"narrated          {changed} of" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(["-n", "1", "--narrate"], "--narrate asks a model: give --model SPEC with it", id="no_model"),
        pytest.param(["-n", "1", "--model", "recorded"], "--model with nothing else", id="model_alone"),
        pytest.param(["--export", "a", "b.db", "--narrate"], "--narrate, --model and --engine go with -n", id="export"),
        pytest.param(["-n", "1", "--narrate", "--model", "oracle"], "No model 'oracle'; have:", id="unknown_model"),
        pytest.param(
            ["-n", "1", "--narrate", "--model", "recorded"],
            "There are no recorded narrations in",
            id="nothing_recorded",
        ),
    ],
)
def test_a_narration_that_cannot_be_had_is_one_line(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = Path(shutil.copytree(LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__")))
    before = (copy / "tasks.jsonl").read_bytes()
    assert main(["tasks", str(copy), *words, *(["--level", "1"] if "-n" in words else [])]) != 0
    shown = capsys.readouterr().err
    assert sentence in shown
    assert "Traceback" not in shown
    assert (copy / "tasks.jsonl").read_bytes() == before
    assert not (copy / FILE).exists()
