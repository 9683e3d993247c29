"""Every data flow of a scenario's chain is an edge, backed by as few calls of that chain as show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from generator.graph.chains import PLACES, add_chain_flows, flows_of
from generator.graph.find import node_of, recheck
from runtime.domain.domain import Domain
from runtime.graph import Edge, Graph, SetUpCall
from runtime.task.story import Program, Story, load_scenarios
from runtime.task.task import Step


def _add(library: Domain, programs: Mapping[str, Program]) -> Graph:
    """The flows of some chains alone, told on one world."""
    nodes = {name: node_of(library, name) for name in library.tools}
    empty = Graph(starts=(), unexecuted=(), crashed={}, nodes=nodes, edges=())
    return add_chain_flows(library, empty, programs, PLACES[:1])


@pytest.fixture(scope="module")
def graph(library: Domain) -> Graph:
    """The flows of the library's scenarios."""
    return _add(library, load_scenarios(library.path))


def _edge(graph: Graph, source: str, target: str) -> Edge:
    (edge,) = [edge for edge in graph.out_of(source) if edge.target == target]
    return edge


def test_each_flow_of_the_scenarios_is_an_edge_whose_evidence_can_be_executed_again(
    library: Domain, graph: Graph
) -> None:
    pairs = {(edge.source, edge.target) for edge in graph.edges}
    assert {("find_member", "list_loans"), ("search_books", "borrow_book"), ("list_holds", "cancel_hold")} <= pairs
    assert {edge.kind for edge in graph.edges} == {"data_flow"}
    assert {edge.evidence.scenario for edge in graph.edges} <= load_scenarios(library.path).keys()
    assert recheck(library, graph) == []


def _register_the_author(story: Story) -> None:
    author = story.call("search_books", words="the")["books"][0]["author"]
    story.call("register_member", name=author, email="ana.lopez@example.org")


def test_a_value_that_is_only_stored_names_the_columns_that_another_one_leaves_different(library: Domain) -> None:
    evidence = _edge(_add(library, {"register": _register_the_author}), "search_books", "register_member").evidence
    assert evidence.changed == {"member": ["name"]}
    assert evidence.after == evidence.otherwise


def _bring_back_what_was_just_lent(story: Story) -> None:
    books = story.call("search_books", words="the", only_available=True)["books"]
    member = story.call("register_member", name="Ana Lopez", email="ana.lopez@example.org")["member_id"]
    story.call("change_phone", member_id=member, phone="0699 123")
    story.call("borrow_book", member_id=member, book_id=books[0]["book_id"])
    loans = story.call("list_loans", member_id=member)["loans"]
    story.call("search_books", words="an")
    story.call("return_book", loan_id=loans[0]["loan_id"])


def test_a_flow_keeps_the_calls_without_which_it_does_not_show(library: Domain) -> None:
    graph = _add(library, {"bring_back": _bring_back_what_was_just_lent})
    evidence = _edge(graph, "list_loans", "return_book").evidence
    assert [call.tool for call in evidence.lead or ()] == ["register_member", "borrow_book"]
    assert evidence.between is None
    assert evidence.scenario == "bring_back"
    assert recheck(library, graph) == []


def test_evidence_without_a_call_that_it_needs_is_caught(library: Domain) -> None:
    graph = _add(library, {"bring_back": _bring_back_what_was_just_lent})
    edge = _edge(graph, "list_loans", "return_book")
    alone = edge.model_copy(update={"evidence": edge.evidence.model_copy(update={"lead": None})})
    (fault,) = recheck(library, replace(graph, edges=(alone,)))
    assert fault.startswith("list_loans -> return_book (data_flow): list_loans is rejected: NOT_FOUND: ")
    other = SetUpCall(tool="lend", arguments={})
    unknown = edge.model_copy(update={"evidence": edge.evidence.model_copy(update={"lead": [other]})})
    assert recheck(library, replace(graph, edges=(unknown,))) == [
        "list_loans -> return_book (data_flow): lend is not a tool"
    ]


def test_a_value_that_makes_no_difference_is_no_edge(library: Domain) -> None:
    def ask_what_it_costs_today(story: Story) -> None:
        book = story.call("search_books", words="the", only_available=True)["books"][0]["book_id"]
        member = story.call("register_member", name="Ana Lopez", email="ana.lopez@example.org")["member_id"]
        due = story.call("borrow_book", member_id=member, book_id=book)["due_on"]
        story.call("calculate_late_fee", due_on=due, returned_on=story.today)

    pairs = {(edge.source, edge.target) for edge in _add(library, {"ask": ask_what_it_costs_today}).edges}
    assert pairs == {("search_books", "borrow_book"), ("register_member", "borrow_book")}


def test_a_tool_that_hands_itself_a_value_has_no_edge() -> None:
    chain = [
        Step(tool="search_books", arguments={"words": "maps"}),
        Step(tool="search_books", arguments={"words": {"$step": 0, "path": "books.0.title"}}),
    ]
    assert list(flows_of(chain)) == []
