"""Claims about judging a run's final states again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.harness.evaluation.rescore import describe, rescore
from runtime.harness.evaluation.store import read_run
from tests.runtime.harness.evaluation.playing import fail_at, sit


def rewrite_task(folder: Path, task_id: str, **parts: object) -> None:
    path = folder / "tasks.jsonl"
    tasks = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [json.dumps({**task, **parts} if task["id"] == task_id else task) for task in tasks]
    path.write_text("\n".join(lines), encoding="utf-8")


def test_an_unchanged_run_has_no_flips(library: Domain, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    sit(path, library, play=fail_at([("keep-a-book", 1)]), trials=2)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    found = rescore(read_run(path))
    assert (found.judged, found.flips, found.changed, found.unjudged) == (6, (), (), {})
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_a_task_that_expects_something_else_now_flips_and_is_named(library_copy: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    sit(path, load_domain(library_copy), trials=2)
    row = {"table": "loan", "kind": "changed", "key": ["LOAN-0016"], "columns": {"due_on": "2026-04-09", "renewals": 1}}
    rewrite_task(library_copy, "keep-a-book", expected=[row])
    found = rescore(read_run(path), given=[load_domain(library_copy)])
    assert [(flip.task, flip.trial, flip.before, flip.now) for flip in found.flips] == [
        ("keep-a-book", 0, 1, 0),
        ("keep-a-book", 1, 1, 0),
    ]
    assert found.changed == ("task 'keep-a-book' of domain 'library' has another line now",)
    assert any(
        line.startswith("flip: library:keep-a-book trial 1: reward 1 in the run, 0 now") for line in describe(found)
    )


def test_a_world_that_no_longer_fits_its_task_is_named_and_the_others_are_judged(
    library_copy: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run.db"
    sit(path, load_domain(library_copy))
    rewrite_task(library_copy, "late-and-next", world={"seed": 4, "size": 100, "digest": "0" * 32})
    found = rescore(read_run(path), given=[load_domain(library_copy)])
    assert found.judged == 2
    ((reason, count),) = found.unjudged.items()
    assert "The world of task 'late-and-next' has digest" in reason
    assert count == 1


def test_a_changed_domain_is_named_and_a_task_that_is_gone_is_judged_as_it_was_kept(
    library_copy: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run.db"
    sit(path, load_domain(library_copy))
    (library_copy / "policy.md").write_text("Be kind.")
    first = (library_copy / "tasks.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (library_copy / "tasks.jsonl").write_text(first, encoding="utf-8")
    found = rescore(read_run(path), given=[load_domain(library_copy)])
    assert "has other files now" in found.changed[0]
    gone = "domain 'library' has no task '{}' now; it is judged as the run stored it"
    assert found.changed[1:] == (gone.format("card-and-queue"), gone.format("late-and-next"))
    assert (found.judged, found.flips, found.unjudged) == (3, (), {})


def test_a_store_chooses_no_folder_that_is_loaded(library_copy: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    sit(path, load_domain(library_copy))
    (library_copy / "schema.sql").write_text("not a schema")
    run = read_run(path)
    assert rescore(run).judged == 3  # by the domain that the name means here; the library_copy is not read
    for name in ("nowhere", str(library_copy), f"../{library_copy.name}"):
        elsewhere = replace(run, domains={name: replace(run.domains["library"], name=name)})
        with pytest.raises(UsageError, match=r"no domain .*"):
            rescore(elsewhere)
