"""The graph of the library holds the edges that a reader of its tools expects, each backed by what was executed."""

from __future__ import annotations

import pytest

from generator.graph.find import find_graph, with_chain_flows, write_graph
from runtime.domain.domain import Domain
from runtime.graph import Edge, Graph
from tests.conftest import LIBRARY


@pytest.fixture(scope="module")
def graph(library: Domain) -> Graph:
    return find_graph(library)


def _edge(graph: Graph, source: str, target: str, kind: str) -> Edge:
    (edge,) = [one for one in graph.out_of(source) if (one.target, one.kind) == (target, kind)]
    return edge


@pytest.mark.parametrize(
    ("source", "target", "result", "parameter"),
    [
        ("find_member", "borrow_book", "member_id", "member_id"),
        ("search_books", "borrow_book", "books.0.book_id", "book_id"),
        ("register_member", "list_loans", "member_id", "member_id"),
    ],
)
def test_data_flow_names_the_value_and_where_it_went(
    graph: Graph, source: str, target: str, result: str, parameter: str
) -> None:
    evidence = _edge(graph, source, target, "data_flow").evidence
    assert (evidence.result, evidence.parameter) == (result, parameter)
    assert evidence.target[parameter] == evidence.value
    assert evidence.made_up != evidence.value
    assert evidence.after != evidence.otherwise


@pytest.mark.parametrize(
    ("source", "target", "before"),
    [
        ("place_hold", "cancel_hold", "NOT_FOUND: No hold"),
        ("return_book", "borrow_book", "FAILED_PRECONDITION: "),
        ("cancel_hold", "place_hold", "ALREADY_EXISTS: Member"),
        ("borrow_book", "place_hold", "FAILED_PRECONDITION: A copy of"),
    ],
)
def test_a_precondition_is_a_rejection_that_the_call_before_lifts(
    graph: Graph, source: str, target: str, before: str
) -> None:
    evidence = _edge(graph, source, target, "precondition").evidence
    assert evidence.before is not None
    assert evidence.before.startswith(before)
    assert evidence.after.startswith("{")


def test_shared_state_is_a_write_that_another_tool_reads(graph: Graph) -> None:
    evidence = _edge(graph, "place_hold", "list_holds", "shared_state").evidence
    assert evidence.changed == {"hold": ["hold_id"]}
    assert evidence.before != evidence.after
    assert evidence.source["member_id"] == evidence.target["member_id"]


def test_no_edge_leaves_a_calculator_or_state_a_reader(graph: Graph) -> None:
    assert graph.out_of("calculate_late_fee") == []
    assert {edge.kind for edge in graph.out_of("list_loans")} == {"data_flow"}
    assert graph.out_of("register_member")
    assert not [edge for edge in graph.into("register_member") if edge.kind != "shared_state"]
    assert all(edge.source != edge.target for edge in graph.edges)


def test_every_tool_of_the_library_is_executed_and_connected(graph: Graph) -> None:
    assert graph.unexecuted == ()
    assert graph.crashed == {}
    connected = {end for edge in graph.edges for end in (edge.source, edge.target)}
    assert set(graph.nodes) - connected == {"calculate_late_fee"}  # it takes no key


def test_the_graph_and_the_flows_of_its_scenarios_are_the_shipped_bytes(graph: Graph) -> None:
    found = write_graph(with_chain_flows(LIBRARY, graph))  # of processes that hash differently
    assert found == (LIBRARY / "graph.json").read_text(encoding="utf-8")
