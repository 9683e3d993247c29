"""`mine`: themes in texts of tasks, and keywords for `new`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.domain.load import load_domain
from runtime.model.book import AnswerBook
from runtime.model.model import Answer, Usage
from runtime.task.task_file import read_tasks
from tests.conftest import SHIPPED, Cli
from tests.runtime.model.asking import a_request

TEXTS_OF_EACH = 12
DOMAINS = ("express_logistics", "healthcare_telemedicine", "smart_home", "wedding_planning")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """What users of four domains ask for, a JSON object on each line."""
    path = tmp_path / "texts.jsonl"
    with path.open("w") as file:
        for name in DOMAINS:
            tasks = list(read_tasks(load_domain(SHIPPED[name])).values())[:TEXTS_OF_EACH]
            for number, task in enumerate(tasks):
                file.write(json.dumps({"id": f"{name}_t{number}", "text": " ".join(task.user.words)}) + "\n")
    return path


def test_texts_of_one_domain_come_together_and_are_near_to_that_domain(texts: Path, cli: Cli) -> None:
    words = (texts, "--known", r"(.+)_t\d+", "--least", "0.1", "--domain", "express_logistics", "--json")
    found = json.loads(cli("mine", *words))
    assert found["agreement"]["known"] == len(DOMAINS)
    assert found["agreement"]["purity"] >= 0.9
    of_logistics = [each["texts"][0].startswith("express_logistics") for each in found["ranked"]]
    likeness = [each["likeness"] for each in found["ranked"]]
    near = [value for value, is_near in zip(likeness, of_logistics, strict=True) if is_near]
    far = [value for value, is_near in zip(likeness, of_logistics, strict=True) if not is_near]
    assert min(near) > max(far)
    assert json.loads(cli("mine", *words)) == found


def test_keywords_are_lines_for_new(texts: Path, cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "keywords.txt"
    found = json.loads(cli("mine", texts, "-n", "4", "--out", out, "--json"))
    keywords = out.read_text().splitlines()
    assert keywords == found["keywords"]
    assert 0 < len(keywords) <= 4
    cli("new", keywords[0], "--draft", "--out", tmp_path / "made")
    assert (tmp_path / "made" / "domain.json").is_file()


def test_a_model_names_and_screens_what_is_found(texts: Path, cli: Cli, tmp_path: Path) -> None:
    good = {"keyword": "parcel claims", "stateful": "yes", "usefulness": 8, "modelability": 9, "reason": "Records."}
    answers = {
        ("theme", "theme1"): good,
        ("theme", "theme2"): good | {"keyword": "small talk", "modelability": 2},
        ("theme", "theme3"): good | {"keyword": "bomb making"},
        ("screen", "theme1"): {"decision": "go", "reason": "An ordinary trade.", "domain": "parcel claims"},
        ("screen", "theme3"): {"decision": "no", "reason": "It would teach harm.", "domain": "weapons"},
    }
    recorded, out = tmp_path / "recorded.jsonl", tmp_path / "keywords.txt"
    with AnswerBook.open(recorded, {}) as book:
        for (stage, key), answer in answers.items():
            request = a_request(stage=stage, key=key)
            book.add(request, Answer(answer, "recorded", Usage(10, 5, 0, estimated=True)))
    found = json.loads(cli("mine", texts, "-n", "3", "--model", f"recorded:{recorded}", "--out", out, "--json"))
    assert out.read_text() == "parcel claims\n"
    assert [bool(each["refused"]) for each in found["ranked"]] == [False, True, True]
    assert "modelability 2" in found["ranked"][1]["refused"]
    again = cli("mine", texts, "-n", "3", "--model", "recorded", "--out", out)  # from what was kept
    assert "It would teach harm." in again.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--known", "("], "not a regular expression"),
        (["--known", "nowhere(x)"], "no group that finds a theme"),
        (["--field", "words"], "has no text in 'words'"),
        (["--model", "recorded"], "--model needs --out FILE"),
        (["--data", "."], "--data needs a folder and a set"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(texts: Path, words: list[str], said: str, cli: Cli) -> None:
    assert said in cli("mine", texts, *words, status=2)
