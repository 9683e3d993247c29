"""Expansion adds what can be fed and executed; the gate's figures are those of the paper, worked out by hand."""

from __future__ import annotations

import pytest

from generator.tasks.expand import LEAST_TOOLS, TAU, decide, expand
from generator.tasks.proofs.replayer import Candidate
from generator.tasks.studied_world import Network, StudiedWorld
from runtime.domain.domain import Domain
from runtime.domain.people import is_desk_tool
from runtime.graph import Graph, parse_graph
from runtime.session.session import Session


def _graph(library: Domain, *edges: tuple[str, str, str, str, str]) -> Graph:
    """A graph of the library's tools with edges given as source, target, kind, result, parameter."""
    return parse_graph(
        {
            "format": 1,
            "directed": True,
            "multigraph": True,
            "graph": {"starts": [{"seed": 1, "size": 100}]},
            "nodes": [{"id": name, "topic": "x", "reads": [], "writes": []} for name in library.tools],
            "edges": [
                {
                    "source": source,
                    "target": target,
                    "kind": kind,
                    "evidence": {
                        "start": 0,
                        "source": {},
                        "target": {},
                        "after": "{}",
                        **({"result": result, "parameter": parameter} if result else {}),
                    },
                }
                for source, target, kind, result, parameter in edges
            ],
        }
    )


def test_complexity_is_the_share_of_tools_and_connected_pairs(library: Domain) -> None:
    small = _graph(
        library,
        ("find_member", "list_loans", "data_flow", "member_id", "member_id"),
        ("find_member", "list_holds", "data_flow", "member_id", "member_id"),
        ("list_loans", "renew_loan", "data_flow", "loans.0.loan_id", "loan_id"),
        ("renew_loan", "list_loans", "shared_state", "", ""),
        ("renew_loan", "list_loans", "precondition", "", ""),
    )
    network = Network(library, small, {})
    # three tools; find -> list, list -> renew, renew -> list (two kinds, one pair): 3 + 0.5 * 3 = 4.5
    whole = len(library.tools) + 0.5 * 4  # and find -> list_holds
    assert network.complexity({"find_member", "list_loans", "renew_loan"}) == pytest.approx(4.5 / whole)
    assert network.complexity({"find_member"}) == pytest.approx(1 / whole)
    assert network.complexity(library.tools) == 1.0


@pytest.mark.parametrize(
    ("remaining", "tools", "complexity", "feasibility", "score", "goes_on"),
    [
        pytest.param(30, 50, 0.3, 0.9, 0.765, True, id="thin_and_plenty"),  # 0.9 * (0.7 + 1) / 2
        pytest.param(10, 50, 0.8, 0.5, 0.3, True, id="rich_but_plenty"),  # 0.5 * (0.2 + 1) / 2
        pytest.param(3, 50, 0.9, 1.0, 0.2, False, id="rich_and_few"),  # 1 * (0.1 + 0.3) / 2
        pytest.param(3, 15, 0.9, 1.0, 0.55, True, id="many_of_a_small_domain"),  # 1 * (0.1 + 1) / 2
        pytest.param(30, 50, 0.1, 0.0, 0.0, False, id="nothing_runs"),
        pytest.param(0, 50, 0.1, 0.0, 0.0, False, id="nothing_left"),
    ],
)
def test_the_gate_weighs_its_three_inputs(
    remaining: int, tools: int, complexity: float, feasibility: float, score: float, goes_on: bool
) -> None:
    decision = decide(remaining, tools, complexity, feasibility)
    assert decision.score == pytest.approx(score)
    assert decision.goes_on is goes_on is (decision.score >= TAU)


def test_further_chains_bring_in_the_rest_while_the_gate_says_go(library: Domain) -> None:
    network = Network(library, _graph(library), {})  # no edge leads anywhere
    studied = StudiedWorld(library, network, seed=1, size=100)
    expansion = expand(studied, ["find_member"], seed=1)
    studied.close()
    assert {"find_member", *expansion.examples} == set(library.tools)
    assert len(library.tools) < LEAST_TOOLS
    assert expansion.chains == len(library.tools)


def test_the_examples_of_the_tools_run_in_the_final_world(candidates: list[Candidate], studied: StudiedWorld) -> None:
    tools = {name for name in studied.domain.tools if not is_desk_tool(name)}
    assert all(tools <= set(candidate.task.explorable) for candidate in candidates)
    expansion = expand(studied, ["find_member"], seed=3)
    for tool, calls in expansion.examples.items():
        with Session(studied.domain, studied.world) as session:
            assert calls[-1].tool == tool
            for call in calls:
                session.call(call.tool, **call.arguments)
