"""`check` names each data flow of a chain, of a scenario or a task, that the domain's graph lacks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from generator.commands.check_plan import Checked
from generator.commands.check_report import make_report
from generator.gates.folder import describe_folder
from generator.gates.request import FolderRequest, ShareRequest
from generator.graph.evidence import recheck_graph
from generator.scenarios.run import ScenariosRequest, prove_scenarios
from generator.tasks.proofs.recheck import recheck_tasks
from tests.conftest import LIBRARY


def _without(folder: Path, source: str, target: str) -> Path:
    """A copy of the library whose graph lacks the data flow from one tool to another."""
    copy = Path(shutil.copytree(LIBRARY, folder / "library", ignore=shutil.ignore_patterns("__pycache__")))
    graph = json.loads((copy / "graph.json").read_text(encoding="utf-8"))
    flow = (source, target, "data_flow")
    graph["edges"] = [edge for edge in graph["edges"] if (edge["source"], edge["target"], edge["kind"]) != flow]
    (copy / "graph.json").write_text(json.dumps(graph), encoding="utf-8")
    return copy


@pytest.mark.parametrize(
    ("source", "target", "user"),
    [
        pytest.param("search_books", "place_hold", "scenario 'queue_for_a_lent_book'", id="scenario"),
        pytest.param("register_member", "place_hold", "a task", id="task"),
    ],
)
def test_a_flow_that_is_no_edge_is_a_fault_of_the_graph(tmp_path: Path, source: str, target: str, user: str) -> None:
    folder = _without(tmp_path, source, target)
    checked = Checked(
        [
            (recheck_graph, recheck_graph(FolderRequest(folder))),
            (prove_scenarios, prove_scenarios(ScenariosRequest(folder, seeds=(3,), sizes=(100,)))),
            (recheck_tasks, recheck_tasks(ShareRequest(folder))),
        ]
    )
    report = make_report(folder, describe_folder(FolderRequest(folder)), checked, mutants=False)
    assert report.gates["graph"].faults == [
        f"{source} -> {target} (data_flow): not there, but a chain of {user} uses it; `worldsmith graph library` "
        "finds it"
    ]
