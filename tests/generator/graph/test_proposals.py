"""What a model proposes becomes an edge only if the calls that it names show it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.graph.chains import Proposal, add_proposals
from generator.graph.find import node_of
from generator.graph.recheck import recheck
from runtime.domain.domain import Domain
from runtime.graph import Graph

REASON = "A loan that was just made is listed, and can be brought back."


def _try(library: Domain, *proposals: Proposal) -> Graph:
    nodes = {name: node_of(library, name) for name in library.tools}
    return add_proposals(library, Graph((), (), {}, nodes, ()), proposals, {})


@pytest.mark.parametrize(
    ("proposal", "lead"),
    [
        pytest.param(
            Proposal("find_member", "list_holds", "data_flow", REASON, (), "member_id", "member_id"),
            None,
            id="data_flow",
        ),
        pytest.param(
            Proposal("borrow_book", "renew_loan", "precondition", REASON, ("register_member",)),
            ["register_member"],
            id="precondition_after_a_set_up",
        ),
    ],
)
def test_a_proposal_that_execution_backs_is_an_edge(
    library: Domain, proposal: Proposal, lead: list[str] | None
) -> None:
    graph = _try(library, proposal)
    (edge,) = graph.edges
    assert (edge.source, edge.target, edge.kind) == (proposal.source, proposal.target, proposal.kind)
    assert edge.evidence.reason == REASON
    assert (edge.evidence.lead and [call.tool for call in edge.evidence.lead]) == lead
    assert recheck(library, graph) == []


@pytest.mark.parametrize(
    "proposal",
    [
        pytest.param(
            Proposal("search_books", "return_book", "data_flow", REASON, (), "books.0.book_id", "loan_id"),
            id="other_key",
        ),
        pytest.param(Proposal("find_member", "search_books", "precondition", REASON), id="needs_nothing"),
        pytest.param(
            Proposal("find_member", "list_loans", "data_flow", REASON, (), "member_id", "nothing"), id="no_parameter"
        ),
    ],
)
def test_a_proposal_that_does_not_show_is_no_edge(library: Domain, proposal: Proposal) -> None:
    assert _try(library, proposal).edges == ()


def test_a_proposed_edge_that_execution_no_longer_backs_is_caught(library: Domain) -> None:
    graph = _try(library, Proposal("borrow_book", "renew_loan", "precondition", REASON, ("register_member",)))
    (edge,) = graph.edges
    alone = edge.model_copy(update={"evidence": edge.evidence.model_copy(update={"lead": None})})
    assert recheck(library, replace(graph, edges=(alone,)))
