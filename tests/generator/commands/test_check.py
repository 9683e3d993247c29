"""Claims about `worldsmith check`, run as a command."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from generator.commands.check_report import make_report
from generator.gates.calls.random_calls import prove_random_calls
from generator.gates.folder import FolderReport, FolderRequest
from generator.gates.mutants import MutantsReport, Survivor, ToolMutants, prove_mutants
from generator.graph.find import recheck_graph, with_chain_flows
from generator.isolation.job import LimitReached
from runtime.errors import EnvironmentFault
from runtime.graph import read_graph
from tests.conftest import LIBRARY
from tests.making import NOTHING, SCHEMA, write_domain

ROOT = Path(__file__).parents[3]


def check(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "generator", "check", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What stands on its standard error, but for how far it has come."""
    return [line for line in done.stderr.splitlines() if not line.startswith(("loading ", "checking "))]


@pytest.fixture
def library_copy(tmp_path: Path) -> Path:
    """The library as a person would write it by hand: without cases."""
    leave_out = shutil.ignore_patterns("__pycache__", "cases.jsonl", "graph.json", "answers.jsonl")
    return Path(shutil.copytree(LIBRARY, tmp_path / "library", ignore=leave_out))


def replace_in(path: Path, old: str, new: str) -> None:
    """Change a file in one place, which must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_json_has_every_figure(library_copy: Path) -> None:
    done = check(library_copy, "--json", "--calls", "400", "--survivors")
    assert (done.returncode, complaints(done)) == (0, [])
    report = json.loads(done.stdout)
    assert report["ok"] is True
    assert (report["domain"], report["tools"], report["tables"], report["faults"]) == ("library", 15, 6, [])
    assert report["cases"] == {"success": 0, "rejection": 0, "unexpected": 0}
    assert report["mutants"] == {"total": 0, "killed": 0}
    assert (report["rules"]["rules"], report["rules"]["duties"], report["gates"]["rules"]) == (11, 2, True)
    assert report["graph"] == {"nodes": 0, "edges": 0, "density": 0.0, "kinds": {}}
    assert report["tokens"] == {"prompt": 0, "completion": 0, "estimated": False, "by_stage": {}}
    assert report["constraints"] == {"attacked": 79, "refused": 79}
    tasks = report["tasks"]
    assert (tasks["kept"], tasks["rejected"], tasks["tools_covered"], tasks["remade"]) == (3, {}, 9, 0)
    passed, tried = tasks["proofs"]["necessity"]
    assert passed == tried > 0
    calls = report["random_calls"]
    assert calls["calls"] == 400 == calls["successes"] + calls["rejections"]
    assert (calls["faults"], calls["violations"], calls["changes_on_rejection"]) == (0, 0, 0)
    assert report["missing"] == ["cases.jsonl", "graph.json"]


def test_a_file_of_tasks_is_proven_by_itself(tmp_path: Path) -> None:
    good, bad, *_ = (LIBRARY / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    line = json.loads(bad)
    line["policies"] = {}
    file = tmp_path / "mine.jsonl"
    file.write_text(f"{good}\n{json.dumps(line)}\n", encoding="utf-8")
    done = check("library", "--tasks", file, "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, list(report["gates"]), report["tasks"]["kept"]) == (1, ["load", "tasks"], 1)
    assert "which is optional and not judged" in report["faults"][0]
    assert check("library", "--tasks", tmp_path / "none.jsonl").returncode == 2


BROKEN = [
    pytest.param(
        [("tools/loans.py", "import Annotated", "import Annotate")], {"load": ["tools/loans.py"]}, id="broken_code"
    ),
    pytest.param(
        [
            ("schema.sql", "copies > 0", "copies = copies"),
            ("world.py", "world.share(0.15, least=1)", "0"),
            ("tasks.jsonl", '"format":2', '"format":3'),
        ],
        {
            "constraints": ["CHECK (copies = copies)"],
            "worlds": ["no row in hold; every table"],
            "scenarios": ["leave_a_queue: it finds no row on 8 of 8 worlds: No hold meets '"],
            "tasks": ["tasks.jsonl:1"],
        },
        id="weak_check_empty_table_broken_tasks",
    ),
    pytest.param(
        [
            ("tools/loans.py", 'db.require("loan", loan_id)', 'db.get("loan", loan_id)'),
            ("tools/holds.py", 'rejects=["NOT_FOUND", "FAILED_PRECONDITION"]', 'rejects=["NOT_FOUND"]'),
            ("scenarios.py", "note=note)", 'note="Call me")'),
            ("tasks.jsonl", '"seed":3', '"seed":4'),
        ],
        {
            "scenarios": ["queue_for_a_lent_book: it calls place_hold with note = 'Call me', a value without origin"],
            "random calls": ["Tool 'renew_loan' crashed: TypeError", "rejects with FAILED_PRECONDITION"],
            "tasks": ["task 'keep-a-book':"],
        },
        id="crash_on_unknown_ids_undeclared_rejection_untold_argument_unsolved_tasks",
    ),
]


@pytest.mark.parametrize(("edits", "faults"), BROKEN)
def test_a_broken_folder_fails_at_its_gates_and_no_others(
    edits: list[tuple[str, str, str]], faults: dict[str, list[str]], library_copy: Path
) -> None:
    for file, old, new in edits:
        replace_in(library_copy / file, old, new)
    done = check(library_copy, "--calls", "600")
    assert (done.returncode, complaints(done)) == (1, [])
    lines = done.stdout.splitlines()
    failed = [line.removeprefix("  ").partition("  ")[0] for line in lines if line.endswith(" FAILED")]
    assert failed == list(faults)
    assert lines[-1].startswith(f"library: FAILED at {', '.join(faults)}")
    for gate, wanted in faults.items():
        start = lines.index(f"Faults: {gate}") + 1
        shown = list(takewhile(lambda line: line.startswith("  "), lines[start:]))
        for said in wanted:
            assert any(said in line for line in shown), (gate, said)
    if "random calls" in faults:
        assert any("no cases.jsonl: tools are untested" in line for line in lines)


def test_a_gate_that_the_card_owns_up_to_is_known_and_any_other_fails(library_copy: Path) -> None:
    replace_in(library_copy / "world.py", "MOST_WAITING = 3", "MOST_WAITING = 9")
    replace_in(library_copy / "domain.json", '"clock"', '"provenance": {"known": ["history"]}, "clock"')
    done = check(library_copy, "--calls", "100", "--json")
    report = json.loads(done.stdout)
    assert (report["gates"]["calendar"], report["gates"]["history"]) == (True, None)
    assert [each for each in report["known"] if each.startswith("history: rule HOLD_LIMIT: it would have forbidden")]
    assert not [each for each in report["faults"] if each.startswith("history")]


def test_cases_that_lack_a_rejection_fail(library_copy: Path) -> None:
    for name in ("scenarios.py", "tasks.jsonl"):
        (library_copy / name).unlink()
    case = {"topic": "t", "tool": "calculate_late_fee", "title": "works", "result": {"days_late": 1, "fee_cents": 26}}
    arguments = {"due_on": "2026-01-01", "returned_on": "2026-01-02"}
    lines: list[Mapping[str, Any]] = [
        {"format": 1},
        {"topic": "t", "rows": {}},
        {**case, "id": "t-1", "arguments": arguments},
    ]
    (library_copy / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = json.loads(check(library_copy, "--json", "--no-mutants", "--calls", "50").stdout)
    assert report["cases"] == {"success": 0, "rejection": 0, "unexpected": 1}
    assert "cases: t-1 (calculate_late_fee): result.fee_cents is 25, expected 26" in report["faults"]
    assert "cases: tool 'renew_loan' has no case that is rejected with NOT_FOUND" in report["faults"]


def test_a_generated_folder_must_have_what_a_generator_makes(tmp_path: Path) -> None:
    folder = write_domain(
        tmp_path, world='"""Fill."""\n\n\ndef populate(world):\n    world.insert("thing", label="a")\n'
    )
    (folder / "answers.jsonl").write_text("")
    report = json.loads(check(folder, "--json", "--calls", "20").stdout)
    assert "cases: no cases.jsonl: tools are untested" in report["faults"]
    assert report["missing"] == ["cases.jsonl", "graph.json", "tasks.jsonl"]
    assert (report["ok"], report["gates"]["cases"]) == (False, False)


DESCRIBED = FolderReport(domain="d", title="D", tools=[], writing=[], tables=[], undescribed=[], tokens={"prompt": 7})


@pytest.mark.parametrize(("killed", "passes"), [(90, True), (89, False)])
def test_nine_mutants_of_ten_must_be_killed(killed: int, passes: bool, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"format": 1}\n')
    survivors = [Survivor(3, "changed comparison", "< became <=")]
    halves = [{"t": ToolMutants(60, 50, survivors)}, {"u": ToolMutants(40, killed - 50)}]
    checked = [(prove_mutants, MutantsReport(half)) for half in halves]
    report = make_report(tmp_path, DESCRIBED, checked, mutants=True)
    assert report.figures["mutants"] == {"total": 100, "killed": killed}
    assert (report.gates["mutants"].faults == []) is passes
    assert report.survivors == ["t, line 3: < became <="]


def test_a_gate_whose_proof_failed_has_its_error_as_a_fault(tmp_path: Path) -> None:
    (tmp_path / "graph.json").write_text("{}")
    errors = EnvironmentFault("It broke."), EnvironmentFault("world.py crashed.")
    checked: list[Any] = list(zip((recheck_graph, prove_random_calls), errors, strict=True))
    report = make_report(tmp_path, DESCRIBED, checked, mutants=True)
    assert report.faults == ["graph: It broke.", "random calls: world.py crashed."]


def test_a_limit_of_ours_stops_a_check_and_is_no_fault_of_the_domain(tmp_path: Path) -> None:
    done = check(LIBRARY, "--max-seconds", "1", "--calls", "200000", "--no-mutants")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert not any(line.endswith(" FAILED") or line.startswith("Faults") for line in lines)
    stopped = "  The proof 'calls' was stopped by our limit of 1 s of processor time; raise it with --max-seconds N."
    assert lines[lines.index("Stopped by a limit: random calls") + 1] == stopped
    assert lines[-1].startswith("library: stopped by a limit of ours at ")
    checked = [(prove_random_calls, LimitReached("It was stopped by our limit of 2 s.", is_time=True))]
    told = make_report(tmp_path, DESCRIBED, checked, mutants=False).as_json()
    assert (told["ok"], told["faults"], told["gates"]["random calls"]) == (False, [], None)
    assert told["stopped"] == ["random calls: It was stopped by our limit of 2 s; raise it with --max-seconds N."]


def test_a_flow_that_is_no_edge_is_a_fault_until_the_graph_is_found_again(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__")))
    graph = json.loads((folder / "graph.json").read_text(encoding="utf-8"))
    flow = ("search_books", "place_hold", "data_flow")
    graph["edges"] = [edge for edge in graph["edges"] if (edge["source"], edge["target"], edge["kind"]) != flow]
    (folder / "graph.json").write_text(json.dumps(graph), encoding="utf-8")
    (fault,) = recheck_graph(FolderRequest(folder)).faults
    said = "search_books -> place_hold (data_flow): not there, but a chain of scenario"
    assert fault.startswith(said)
    assert fault.endswith("`worldsmith check library --write-graph` finds it")
    found = with_chain_flows(folder, read_graph(folder))
    assert flow in {(edge.source, edge.target, edge.kind) for edge in found.edges}


def test_the_graph_is_written_as_it_is_found_the_same_bytes_as_shipped(tmp_path: Path) -> None:
    small = write_domain(tmp_path)
    assert check(small, "--write-graph", "--calls", "20").returncode == 1  # it lacks what else a domain has
    assert json.loads((small / "graph.json").read_text(encoding="utf-8"))["nodes"][0]["id"] == "do_nothing"
    folder = Path(shutil.copytree(LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__")))
    (folder / "graph.json").unlink()
    done = check(folder, "--write-graph", "--no-mutants", "--calls", "20", "--json")
    assert (done.returncode, json.loads(done.stdout)["graph"]["nodes"]) == (0, 15), done.stdout
    assert (folder / "graph.json").read_bytes() == (LIBRARY / "graph.json").read_bytes()


def test_faults_of_several_files_come_in_one_round_with_their_lines(tmp_path: Path) -> None:
    columns = "".join(f"    extra{number} TEXT,\n" for number in range(30))
    schema = SCHEMA.replace("    label", f"{columns}    label")
    folder = write_domain(tmp_path, schema=schema, tools=NOTHING.replace("db: Database", "db: Database, label: str"))
    done = check(folder)
    assert done.returncode == 1
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "schema.sql: column 'thing.extra0' has no comment; write one behind it: `-- what it holds`." in lines
    assert "and 11 more; --json lists all of them" in lines
    faults = json.loads(check(folder, "--json").stdout)["faults"]
    assert any("things.py:11: tool 'do_nothing' parameter 'label' has no description" in fault for fault in faults)
