"""Decides which added row is which expected row, when generated ids say nothing and foreign keys must agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TypeAlias

Node = Hashable

_Pairs: TypeAlias = dict[int, int]
_Colours: TypeAlias = dict[int, int]
# Part of the search: yields the parts it depends on and is sent their answers, so that nesting needs no recursion.
_Routine: TypeAlias = Generator["_Routine", _Pairs | None, _Pairs | None]

_Order: TypeAlias = Callable[[int, Iterable[int]], Iterable[int]]  # in which a left node is asked about right ones


@dataclass(frozen=True)
class RowGraph:
    """Rows of one database state with their foreign keys; nodes must be orderable by repr."""

    labels: Mapping[Node, Hashable]  # a fixed row's label is unique to it, the same on both sides
    edges: Sequence[tuple[Node, str, Node]]  # (from, column, to)
    words: Mapping[Node, frozenset[str]] = field(default_factory=dict)  # of its texts: the most alike are tried first


@dataclass(frozen=True)
class Pairing:
    """What was found: undecided means that the budget ran out and nothing is claimed."""

    decided: bool
    pairs: Mapping[Node, Node] | None  # expected node -> actual node, a full bijection; None if there is none
    steps: int


def pair_rows(
    expected: RowGraph, actual: RowGraph, compatible: Callable[[Node, Node], bool], budget: int = 20_000
) -> Pairing:
    """Find a bijection that keeps labels and edges and pairs only compatible rows.

    Asking whether two rows are compatible may take long, so those with the most words in common come first. A step is
    one guess (one individualised node); equal graphs give equal pairs and steps, in any order or process.
    """
    if len(expected.labels) != len(actual.labels):
        return Pairing(decided=True, pairs=None, steps=0)
    union = _unite(expected, actual)
    search = _Search(union, compatible, budget)
    try:
        found = search.pair_all()
    except _BudgetSpent:
        return Pairing(decided=False, pairs=None, steps=search.steps)
    if found is None:
        return Pairing(decided=True, pairs=None, steps=search.steps)
    pairs = {union.names[e]: union.names[a] for e, a in sorted(found.items())}
    return Pairing(decided=True, pairs=pairs, steps=search.steps)


def _is_settled(union: _Union, part: list[int], colours: _Colours) -> bool:
    """A component whose colours are all different, or that is a tree, is known up to interchangeable rows."""
    if len({colours[node] for node in part}) == len(part):
        return True
    inside = set(part)
    ends = sum(other in inside for node in part for _, other in union.neighbours[node])
    return ends == 2 * (len(part) - 1)


@dataclass(frozen=True)
class _Union:
    """Both graphs side by side: nodes are numbers, those of the expected graph below `half`."""

    names: list[Node]
    half: int
    colours: _Colours  # by label and by references to itself
    neighbours: list[list[tuple[int, int]]]  # (relation, other node): all columns between the two, in both directions
    words: dict[int, frozenset[str]]  # of nodes that have texts


def _unite(expected: RowGraph, actual: RowGraph) -> _Union:
    """Number nodes, labels and relations so that equal ones are equal on both sides."""
    union = _Union([], len(expected.labels), {}, [], {})
    kinds: dict[Hashable, int] = {}
    relations: dict[Hashable, int] = {}
    for graph in (expected, actual):
        names = sorted(graph.labels, key=repr)
        numbers = {name: number for number, name in enumerate(names, start=len(union.names))}
        union.names.extend(names)
        union.words.update({numbers[name]: said for name, said in graph.words.items()})
        union.neighbours.extend([] for _ in names)
        columns: dict[tuple[int, int], list[str]] = defaultdict(list)
        for source, column, target in graph.edges:
            columns[numbers[source], numbers[target]].append(column)
        ordered = {ends: tuple(sorted(columns[ends])) for ends in sorted(columns)}
        for name, node in numbers.items():
            kind = (graph.labels[name], ordered.get((node, node)))
            union.colours[node] = kinds.setdefault(kind, len(kinds))
        for source, target in ordered:
            there, back = ordered[source, target], ordered.get((target, source), ())
            if source != target:
                union.neighbours[source].append((relations.setdefault((there, back), len(relations)), target))
            if not back:
                union.neighbours[target].append((relations.setdefault((back, there), len(relations)), source))
    return union


def _refine(union: _Union, colours: _Colours, splitters: Iterable[int]) -> bool:
    """Split colours in place until neighbours tell no two nodes of one colour apart.

    False as soon as a colour has more nodes on one side than on the other: then there is no bijection.
    Nodes without a colour are ignored. Of a split colour the largest part keeps the name and need not split others.
    """
    cells: dict[int, set[int]] = defaultdict(set)
    for node, colour in colours.items():
        cells[colour].add(node)
    if not all(_is_balanced(union, cell) for cell in cells.values()):
        return False
    fresh = max(cells, default=0) + 1
    waiting = dict.fromkeys(splitters)
    while waiting:
        splitter, _ = waiting.popitem()
        for colour, parts in _tell_apart(union, colours, cells[splitter]).items():
            for part in _drop_largest(cells[colour], parts):
                if not _is_balanced(union, part):
                    return False
                cells[colour] -= part
                cells[fresh] = part
                colours.update(dict.fromkeys(part, fresh))
                waiting[fresh] = None
                fresh += 1
    return True


def _is_balanced(union: _Union, cell: set[int]) -> bool:
    """As many expected nodes as actual ones."""
    return 2 * sum(node < union.half for node in cell) == len(cell)


def _tell_apart(union: _Union, colours: _Colours, splitter: set[int]) -> dict[int, list[set[int]]]:
    """The neighbours of a cell, by colour and then by their relations to that cell."""
    seen: dict[int, list[int]] = defaultdict(list)
    for node in splitter:
        for relation, other in union.neighbours[node]:
            if other in colours:
                seen[other].append(relation)
    parts: dict[int, dict[tuple[int, ...], set[int]]] = defaultdict(lambda: defaultdict(set))
    for node, relations in seen.items():
        parts[colours[node]][tuple(sorted(relations))].add(node)
    return {colour: list(by_relations.values()) for colour, by_relations in parts.items()}


def _drop_largest(cell: set[int], parts: list[set[int]]) -> list[set[int]]:
    """The parts of a cell, its untouched nodes being one more part, without the largest."""
    if 2 * sum(map(len, parts)) <= len(cell):
        return parts
    every = [*parts, cell.difference(*parts)]
    largest = max(range(len(every)), key=lambda index: len(every[index]))
    return [part for index, part in enumerate(every) if index != largest and part]


def _split_components(union: _Union, nodes: list[int]) -> list[list[int]]:
    """The connected components of the graph among these nodes, each in ascending order."""
    unseen = set(nodes)
    components = []
    for first in nodes:
        if first not in unseen:
            continue
        unseen.remove(first)
        component = [first]
        for node in component:
            if not unseen:
                break
            for _, other in union.neighbours[node]:
                if other in unseen:
                    unseen.remove(other)
                    component.append(other)
        components.append(sorted(component))
    return components


MOST_ORDERED = 100  # components of a kind that are tried in the order of their words, not of their numbers


class _BudgetSpent(Exception):
    """The next guess would exceed the budget."""


@dataclass
class _Search:
    """One search for a bijection; every routine answers with the pairs of its rows, or None if there are none."""

    union: _Union
    compatible: Callable[[Node, Node], bool]
    budget: int
    steps: int = 0
    _compatible: dict[tuple[int, int], bool] = field(default_factory=dict)

    def pair_all(self) -> _Pairs | None:
        """Pair the whole of both graphs."""
        colours = dict(self.union.colours)
        if not _refine(self.union, colours, self.union.colours.values()):
            return None
        half = self.union.half
        return _run(self._pair_parts(colours, list(range(half)), list(range(half, 2 * half))))

    def may_pair(self, e: int, a: int) -> bool:
        """Ask once for each pair of nodes whether they are compatible."""
        if (e, a) not in self._compatible:
            self._compatible[e, a] = self.compatible(self.union.names[e], self.union.names[a])
        return self._compatible[e, a]

    def _pair_parts(self, colours: _Colours, expected: list[int], actual: list[int]) -> _Routine:
        """Pair the nodes that are alone in their colour, then the components that remain without them."""
        sizes = Counter(colours[node] for node in expected)
        partners = {colours[node]: node for node in actual}
        pairs = {node: partners[colours[node]] for node in expected if sizes[colours[node]] == 1}
        if not all(self.may_pair(e, a) for e, a in pairs.items()):
            return None
        rest = [[node for node in side if sizes[colours[node]] > 1] for side in (expected, actual)]
        groups: dict[tuple[int, ...], tuple[list[list[int]], list[list[int]]]] = defaultdict(lambda: ([], []))
        for side, nodes in enumerate(rest):
            for component in _split_components(self.union, nodes):
                groups[tuple(sorted(colours[node] for node in component))][side].append(component)
        if any(len(lefts) != len(rights) for lefts, rights in groups.values()):
            return None
        for _, (lefts, rights) in sorted(groups.items(), key=lambda group: len(group[0])):
            found = yield self._match(lefts, rights, partial(self._pair_component, colours))
            if found is None:
                return None
            pairs |= found
        return pairs

    def _match(
        self, lefts: list[list[int]], rights: list[list[int]], ask: Callable[[list[int], list[int]], _Routine]
    ) -> _Routine:
        """Match components one to one by augmenting paths, asking about each two of them at most once."""
        known: dict[tuple[int, int], _Pairs | None] = {}
        owners: dict[int, int] = {}
        free = dict.fromkeys(range(len(rights)))
        order = self._order_by_words(lefts, rights) if len(rights) <= MOST_ORDERED else _as_numbered
        for start in range(len(lefts)):
            reached: dict[int, int] = {}
            queue = [start]
            for left, right in _visit(queue, free, owners, reached, order):
                if (left, right) not in known:
                    known[left, right] = yield ask(lefts[left], rights[right])
                if known[left, right] is None:
                    continue
                reached[right] = left
                if right in free:
                    break
                queue.append(owners[right])
            else:
                return None
            del free[right]
            _shift_owners(owners, reached, start, right)
        return dict(chain.from_iterable((known[left, right] or {}).items() for right, left in owners.items()))

    def _order_by_words(self, lefts: list[list[int]], rights: list[list[int]]) -> _Order:
        """Rights that differ from a left in the fewest words come first."""
        if not self.union.words:
            return _as_numbered
        mine, theirs = (
            [frozenset().union(*(self.union.words.get(node, ()) for node in component)) for component in side]
            for side in (lefts, rights)
        )
        return lambda left, others: sorted(others, key=lambda right: len(mine[left] ^ theirs[right]))

    def _pair_component(self, colours: _Colours, expected: list[int], actual: list[int]) -> _Routine:
        """Pair two components of equal colours."""
        if len(expected) == 1:
            return {expected[0]: actual[0]} if self.may_pair(expected[0], actual[0]) else None
        sizes = Counter(colours[node] for node in expected)
        if 1 in sizes.values():
            return (yield self._pair_parts(colours, expected, actual))
        return (yield self._guess(colours, expected, actual))

    def _guess(self, colours: _Colours, expected: list[int], actual: list[int]) -> _Routine:
        """Fix a node of the smallest colour and try each of its partners, unless some colour cannot be matched."""
        classes: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, nodes in enumerate((expected, actual)):
            for node in nodes:
                classes[colours[node]][side].append(node)
        for lefts, rights in classes.values():
            ask = partial(self._pair_component, colours)
            if (yield self._match([[e] for e in lefts], [[a] for a in rights], ask)) is None:
                return None
        (fixed, *_), candidates = min(classes.values(), key=lambda cell: len(cell[0]))
        fresh = max(classes) + 1
        for candidate in candidates:
            if not self.may_pair(fixed, candidate):
                continue
            if self.steps >= self.budget:
                raise _BudgetSpent
            self.steps += 1
            finer = {node: colours[node] for node in chain(expected, actual)} | {fixed: fresh, candidate: fresh}
            if _refine(self.union, finer, [fresh]):
                found = yield self._pair_parts(finer, expected, actual)
                if found is not None:
                    return found
        return None


def _run(routine: _Routine) -> _Pairs | None:
    """Run a routine and all it yields on a stack of our own."""
    stack = [routine]
    answer: _Pairs | None = None
    while stack:
        try:
            stack.append(stack[-1].send(answer))
            answer = None
        except StopIteration as stop:
            stack.pop()
            answer = stop.value
    return answer


def _visit(
    queue: list[int], free: Collection[int], owned: Collection[int], reached: Collection[int], order: _Order
) -> Iterator[tuple[int, int]]:
    """Each queued left node, including those queued meanwhile, with each right node still open, free ones first."""
    for left in queue:
        yield from ((left, right) for right in order(left, free))
        if len(reached) < len(owned):
            yield from ((left, right) for right in order(left, owned) if right not in reached)


def _as_numbered(_: int, rights: Iterable[int]) -> Iterable[int]:
    return rights


def _shift_owners(owners: dict[int, int], reached: dict[int, int], start: int, end: int) -> None:
    """Hand each right node on the path that ends here to the left node that reached it."""
    held = {left: right for right, left in owners.items()} if reached[end] != start else {}
    right = end
    while True:
        left = reached[right]
        owners[right] = left
        if left == start:
            return
        right = held[left]
