"""Claims about `worldsmith check`, run as a command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from generator.commands.check_report import make_report
from generator.gates.calls.random_calls import prove_random_calls
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderReport, FolderRequest, describe_folder
from generator.gates.mutants import MutantsReport, Survivor, ToolMutants, prove_mutants
from generator.gates.past.history import prove_past
from generator.graph.find import recheck_graph, with_chain_flows
from generator.isolation.job import LimitReached
from runtime.errors import EnvironmentFault
from runtime.graph import read_graph
from tests.conftest import LIBRARY, Cli
from tests.making import NOTHING, SCHEMA, write_domain


@pytest.fixture
def by_hand(library_copy: Path) -> Path:
    """The library as a person would write it: without cases."""
    for name in ("cases.jsonl", "graph.json", "answers.jsonl"):
        (library_copy / name).unlink(missing_ok=True)
    return library_copy


def replace_in(path: Path, old: str, new: str) -> None:
    """Change a file in one place, which must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_json_has_every_figure(by_hand: Path, cli: Cli) -> None:
    report = json.loads(cli("check", by_hand, "--json", "--calls", 400, "--survivors"))
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


def test_a_file_of_tasks_is_proven_by_itself(tmp_path: Path, cli: Cli) -> None:
    good, bad, *_ = (LIBRARY / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    line = json.loads(bad)
    line["policies"] = {}
    file = tmp_path / "mine.jsonl"
    file.write_text(f"{good}\n{json.dumps(line)}\n", encoding="utf-8")
    report = json.loads(cli("check", "library", "--tasks", file, "--json", status=1))
    assert (list(report["gates"]), report["tasks"]["kept"]) == (["load", "tasks"], 1)
    assert "which is optional and not judged" in report["faults"][0]
    assert "There is no task file " in cli("check", "library", "--tasks", tmp_path / "none.jsonl", status=2)


BROKEN = [
    pytest.param(
        [("tools/loans.py", "import Annotated", "import Annotate")], {"load": ["tools/loans.py"]}, id="broken_code"
    ),
    pytest.param(
        [
            ("schema.sql", "copies > 0", "copies = copies"),
            ("world.py", "world.share(0.15, least=1)", "0"),
            ("tools/loans.py", 'db.require("loan", loan_id)', 'db.get("loan", loan_id)'),
            ("tasks.jsonl", '"seed":3', '"seed":4'),
        ],
        {
            "constraints": ["CHECK (copies = copies)"],
            "worlds": ["no row in hold; every table"],
            "scenarios": ["leave_a_queue: it finds no row on 8 of 8 worlds: No hold meets '"],
            "random calls": ["Tool 'renew_loan' crashed: TypeError"],
            "tasks": ["task 'keep-a-book':"],
        },
        id="weak_check_empty_table_crash_on_unknown_ids_unsolved_tasks",
    ),
]


@pytest.mark.parametrize(("edits", "faults"), BROKEN)
def test_a_broken_folder_fails_at_its_gates_and_no_others(
    edits: list[tuple[str, str, str]], faults: dict[str, list[str]], by_hand: Path, cli: Cli
) -> None:
    for file, old, new in edits:
        replace_in(by_hand / file, old, new)
    lines = cli("check", by_hand, "--calls", 600, status=1).splitlines()
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


DESCRIBED = FolderReport(domain="d", title="D", tools=[], writing=[], tables=[], undescribed=[], tokens={"prompt": 7})


def test_a_gate_that_the_card_owns_up_to_is_known_and_any_other_fails(library_copy: Path) -> None:
    replace_in(library_copy / "world.py", "MOST_WAITING = 3", "MOST_WAITING = 9")
    replace_in(library_copy / "domain.json", '"clock"', '"provenance": {"known": ["history"]}, "clock"')
    asked = FolderRequest(library_copy)
    report = make_report(library_copy, describe_folder(asked), [(prove_past, prove_past(asked))], mutants=False)
    shown = report.as_json()
    assert (shown["gates"]["calendar"], shown["gates"]["history"]) == (True, None)
    assert [each for each in shown["known"] if each.startswith("history: rule HOLD_LIMIT: it would have forbidden")]
    assert not [each for each in shown["faults"] if each.startswith("history")]


def test_cases_that_lack_a_rejection_fail(library_copy: Path) -> None:
    case = {"topic": "t", "tool": "calculate_late_fee", "title": "works", "result": {"days_late": 1, "fee_cents": 26}}
    arguments = {"due_on": "2026-01-01", "returned_on": "2026-01-02"}
    lines: list[Mapping[str, Any]] = [
        {"format": 1},
        {"topic": "t", "rows": {}},
        {**case, "id": "t-1", "arguments": arguments},
    ]
    (library_copy / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    checked = [(prove_cases, prove_cases(FolderRequest(library_copy)))]
    report = make_report(library_copy, DESCRIBED, checked, mutants=False)
    assert report.figures["cases"] == {"success": 0, "rejection": 0, "unexpected": 1}
    assert "cases: t-1 (calculate_late_fee): result.fee_cents is 25, expected 26" in report.faults
    assert "cases: tool 'renew_loan' has no case that is rejected with NOT_FOUND" in report.faults


def test_a_generated_folder_must_have_what_a_generator_makes(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text("")
    report = make_report(tmp_path, DESCRIBED, [], mutants=True).as_json()
    assert "cases: no cases.jsonl: tools are untested" in report["faults"]
    assert {"cases.jsonl", "graph.json", "tasks.jsonl"} <= {*report["missing"]}
    assert (report["ok"], report["gates"]["cases"]) == (False, False)


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


def test_a_limit_of_ours_stops_a_check_and_is_no_fault_of_the_domain(tmp_path: Path, cli: Cli) -> None:
    lines = cli("check", write_small(tmp_path), "--max-seconds", 3, "--calls", 1_000_000, status=1).splitlines()
    assert not any(line.endswith(" FAILED") or line.startswith("Faults") for line in lines)
    stopped = "  The proof 'calls' was stopped by our limit of 3 s of processor time; raise it with --max-seconds N."
    assert lines[lines.index("Stopped by a limit: random calls") + 1] == stopped
    assert lines[-1].startswith("small: stopped by a limit of ours at random calls")
    checked = [(prove_random_calls, LimitReached("It was stopped by our limit of 2 s.", is_time=True))]
    told = make_report(tmp_path, DESCRIBED, checked, mutants=False).as_json()
    assert (told["ok"], told["faults"], told["gates"]["random calls"]) == (False, [], None)
    assert told["stopped"] == ["random calls: It was stopped by our limit of 2 s; raise it with --max-seconds N."]


def test_a_flow_that_is_no_edge_is_a_fault_until_the_graph_is_found_again(library_copy: Path) -> None:
    graph = json.loads((library_copy / "graph.json").read_text(encoding="utf-8"))
    flow = ("search_books", "place_hold", "data_flow")
    graph["edges"] = [edge for edge in graph["edges"] if (edge["source"], edge["target"], edge["kind"]) != flow]
    (library_copy / "graph.json").write_text(json.dumps(graph), encoding="utf-8")
    (fault,) = recheck_graph(FolderRequest(library_copy)).faults
    said = "search_books -> place_hold (data_flow): not there, but a chain of scenario"
    assert fault.startswith(said)
    assert fault.endswith("`worldsmith check library --write-graph` finds it")
    found = with_chain_flows(library_copy, read_graph(library_copy))
    assert flow in {(edge.source, edge.target, edge.kind) for edge in found.edges}


def test_the_graph_is_written_as_it_is_found(tmp_path: Path, cli: Cli) -> None:
    small = write_small(tmp_path)
    cli("check", small, "--write-graph", "--calls", 20)
    assert json.loads((small / "graph.json").read_text(encoding="utf-8"))["nodes"][0]["id"] == "do_nothing"


def write_small(folder: Path) -> Path:
    """A domain of one tool whose worlds are sound."""
    fill = 'for number in range(world.size):\n        world.insert("thing", label=f"{world.random.random()}")'
    return write_domain(folder, world=f'"""Things."""\n\n\ndef populate(world):\n    {fill}\n')


def test_faults_of_several_files_come_in_one_round_with_their_lines(tmp_path: Path, cli: Cli) -> None:
    columns = "".join(f"    extra{number} TEXT,\n" for number in range(30))
    schema = SCHEMA.replace("    label", f"{columns}    label")
    folder = write_domain(tmp_path, schema=schema, tools=NOTHING.replace("db: Database", "db: Database, label: str"))
    lines = [line.strip() for line in cli("check", folder, status=1).splitlines()]
    assert "schema.sql: column 'thing.extra0' has no comment; write one behind it: `-- what it holds`." in lines
    assert "and 11 more; --json lists all of them" in lines
    faults = json.loads(cli("check", folder, "--json", status=1))["faults"]
    assert any("things.py:11: tool 'do_nothing' parameter 'label' has no description" in fault for fault in faults)
