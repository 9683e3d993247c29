"""Claims about pairing expected rows with actual rows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.verification.isomorphism import Node, Pairing, RowGraph, pair_rows

Compatible = Callable[[Node, Node], bool]
UndirectedEdges = list[tuple[int, int]]


def anything(expected: Node, actual: Node) -> bool:
    return True


def rename(graph: RowGraph, seed: int) -> tuple[RowGraph, dict[Node, Node]]:
    """The same graph with other keys in another order, and which key became which."""
    shuffler = random.Random(seed)
    keys = [("new", number) for number in range(1000, 1000 + len(graph.labels))]
    shuffler.shuffle(keys)
    names: dict[Node, Node] = dict(zip(graph.labels, keys, strict=True))
    edges = [(names[source], column, names[target]) for source, column, target in graph.edges]
    shuffler.shuffle(edges)
    labels = [(names[node], label) for node, label in graph.labels.items()]
    shuffler.shuffle(labels)
    return RowGraph(dict(labels), edges), names


def is_valid(pairs: dict[Node, Node], expected: RowGraph, actual: RowGraph, compatible: Compatible) -> bool:
    return (
        all(expected.labels[e] == actual.labels[a] and compatible(e, a) for e, a in pairs.items())
        and Counter((pairs[s], column, pairs[t]) for s, column, t in expected.edges) == Counter(actual.edges)
        and sorted(map(repr, pairs)) == sorted(map(repr, expected.labels))
        and sorted(map(repr, pairs.values())) == sorted(map(repr, actual.labels))
    )


def can_pair(expected: RowGraph, actual: RowGraph, compatible: Compatible = anything) -> bool:
    """The decision of pair_rows, once its pairs are checked."""
    pairing = pair_rows(expected, actual, compatible)
    assert pairing.decided
    assert pairing.pairs is None or is_valid(dict(pairing.pairs), expected, actual, compatible)
    return pairing.pairs is not None


def can_pair_by_brute_force(expected: RowGraph, actual: RowGraph, compatible: Compatible) -> bool:
    return len(expected.labels) == len(actual.labels) and any(
        is_valid(dict(zip(expected.labels, order, strict=True)), expected, actual, compatible)
        for order in permutations(actual.labels)
    )


def rows(count: int) -> RowGraph:
    return RowGraph({("row", number): "same" for number in range(count)}, [])


def undirected(size: int, joined: Callable[[int, int], bool]) -> UndirectedEdges:
    return [(a, b) for a in range(size) for b in range(size) if a < b and joined(a, b)]


def are_shrikhande_neighbours(a: int, b: int) -> bool:
    return ((a // 4 - b // 4) % 4, (a - b) % 4) in {(1, 0), (3, 0), (0, 1), (0, 3), (1, 1), (3, 3)}


ROOK = undirected(16, lambda a, b: a // 4 == b // 4 or a % 4 == b % 4)
SHRIKHANDE = undirected(16, are_shrikhande_neighbours)


def link_rows(edges: UndirectedEdges) -> RowGraph:
    """Each edge is two rows of a link table, one in each direction."""
    both = [*edges, *((b, a) for a, b in edges)]
    labels: dict[Node, str] = {("node", end): "node" for edge in edges for end in edge}
    labels |= {("link", a, b): "link" for a, b in both}
    references = [(("link", a, b), column, ("node", end)) for a, b in both for column, end in (("from", a), ("to", b))]
    return RowGraph(labels, references)


def direct_edges(edges: UndirectedEdges) -> RowGraph:
    both = [*edges, *((b, a) for a, b in edges)]
    return RowGraph({end: "node" for edge in edges for end in edge}, [(a, "near", b) for a, b in both])


@st.composite
def graphs(draw: st.DrawFn, largest: int) -> RowGraph:
    """Small graphs with few labels and columns, so that much looks alike; self references and double edges occur."""
    nodes = range(draw(st.integers(1, largest)))
    labels = {node: draw(st.sampled_from("aaab")) for node in nodes}
    edge = st.tuples(st.sampled_from(nodes), st.sampled_from(["x_id", "y_id"]), st.sampled_from(nodes))
    return RowGraph(labels, draw(st.lists(edge, max_size=2 * largest)))


@st.composite
def changed(draw: st.DrawFn, graph: RowGraph) -> RowGraph:
    """The graph after one label or one edge changed (perhaps to what it was)."""
    labels, edges = dict(graph.labels), list(graph.edges)
    change = draw(st.sampled_from(["label", "target", "column", "turn", "drop"] if edges else ["label"]))
    if change == "label":
        labels[draw(st.sampled_from(sorted(labels)))] = draw(st.sampled_from("ab"))
        return RowGraph(labels, edges)
    source, column, target = edges.pop(draw(st.integers(0, len(edges) - 1)))
    if change == "target":
        edges.append((source, column, draw(st.sampled_from(sorted(labels)))))
    elif change == "column":
        edges.append((source, draw(st.sampled_from(["x_id", "y_id"])), target))
    elif change == "turn":
        edges.append((target, column, source))
    return RowGraph(labels, edges)


@settings(max_examples=300, deadline=None)
@given(graph=graphs(largest=12), seed=st.integers(0, 99))
def test_a_graph_pairs_with_itself_under_other_keys(graph, seed):
    assert can_pair(graph, rename(graph, seed)[0])


@settings(max_examples=300, deadline=None)
@given(graph=graphs(largest=9), seed=st.integers(0, 99))
def test_the_only_compatible_pairing_is_found(graph, seed):
    actual, names = rename(graph, seed)
    pairing = pair_rows(graph, actual, lambda e, a: names[e] == a)
    assert pairing.pairs == names


@settings(max_examples=400, deadline=None)
@given(
    case=graphs(largest=5).flatmap(lambda graph: st.tuples(st.just(graph), st.one_of(st.just(graph), changed(graph)))),
    refused=st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12),
    seed=st.integers(0, 99),
)
def test_any_compatibility_is_judged_as_brute_force_does(case, refused, seed):
    expected, (actual, names) = case[0], rename(case[1], seed)
    refused = {(e, names[a]) for e, a in refused if a in names}

    def compatible(e: Node, a: Node) -> bool:
        return (e, a) not in refused

    assert can_pair(expected, actual, compatible) == can_pair_by_brute_force(expected, actual, compatible)


@pytest.mark.parametrize("as_rows", [link_rows, direct_edges])
def test_regular_graphs_that_refinement_cannot_tell_apart_are_told_apart(as_rows):
    assert can_pair(as_rows(ROOK), rename(as_rows(ROOK), 2)[0])
    assert not can_pair(as_rows(ROOK), rename(as_rows(SHRIKHANDE), 2)[0])


def test_a_spent_budget_claims_nothing():
    expected, actual = direct_edges(ROOK), direct_edges(SHRIKHANDE)
    steps = pair_rows(expected, actual, anything).steps
    assert pair_rows(expected, actual, anything, budget=steps - 1) == Pairing(False, None, steps - 1)
    assert pair_rows(expected, actual, anything, budget=steps) == Pairing(True, None, steps)
    assert pair_rows(expected, expected, anything, budget=0) == Pairing(False, None, 0)


def test_a_chain_of_500_rows_pairs_without_a_guess():
    chain = RowGraph(dict.fromkeys(range(500), "same"), [(n, "next", n + 1) for n in range(499)])
    actual, names = rename(chain, 0)
    assert pair_rows(chain, actual, anything) == Pairing(True, names, 0)
