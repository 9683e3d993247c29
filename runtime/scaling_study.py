"""More domains (ScaleEnv, figure 3) on a CPU: does a model of the next call, taught on N domains, do better on others?

The model is a conditional logit: of a domain's tools, which one does the reference call next, by features that no
domain owns (what request and tool have in common, edges of the graph, what is known, verbs of tool names). Each choice
of N domains teaches it with the same number of tasks and steps; it is tested on the domains left out, each call given
the right calls before it. It is no language model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from operator import mul
from random import Random
from statistics import fmean
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.people import DECLINE, IDENTIFY
from runtime.domain.tool import Tool
from runtime.graph import KINDS, read_graph
from runtime.harness.evaluation.scores import paired
from runtime.server.listing import list_tools
from runtime.study import cosine, domain_similarity, text_vectors, words_of
from runtime.task.task import Task

STEPS = 1_500  # of gradient, for every choice of domains
_RATE = 0.3  # of Adagrad
_ALIKE = 0.25  # of the choices of N domains: those whose domains are most alike
_LEAST_CHANCE = 1e-4  # of a tool, to take part in a step


@dataclass(frozen=True)
class NextTool:
    """A tool that could be called next: its numbers, and the words that stand for its verb and the last call's."""

    numbers: tuple[float, ...]
    words: tuple[str, str]


@dataclass(frozen=True)
class NextCall:
    """A call of a reference chain: all tools of the domain, and which of them is right."""

    tools: tuple[NextTool, ...]
    right: int


@dataclass(frozen=True)
class ScalingPoint:
    """N domains: the mean accuracy over held-out domains with its interval, and how much more than with the fewest."""

    domains: int
    choices: int
    accuracy: float
    low: float | None
    high: float | None
    chains: float  # share of tasks whose calls are all right
    gain: float
    gain_low: float | None
    gain_high: float | None
    alike: float | None  # accuracy of the choices whose domains are most alike


def study_scaling(
    domains: Sequence[tuple[Domain, Sequence[Task]]],
    sizes: Sequence[int],
    count: int,
    seed: int,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Teach and test every choice of domains; the tasks of each domain are `count` at most, and so are those taught."""
    calls = {domain.name: _calls_of(domain, tasks[:count]) for domain, tasks in domains}
    alike = domain_similarity([domain for domain, _ in domains])
    points: list[ScalingPoint] = []
    fewest: dict[str, float] = {}
    for size in sizes:
        tested: dict[str, list[tuple[float, float, float]]] = {name: [] for name in calls}
        say(f"{math.comb(len(calls), size)} choices of {size}")
        for chosen in combinations(calls, size):
            taught = [task for number, name in enumerate(chosen) for task in calls[name][: _share(count, size, number)]]
            model = _teach([call for task in taught for call in task], seed)
            likeness = fmean([alike[pair] for pair in combinations(chosen, 2)] or [0.0])
            for name in calls.keys() - set(chosen):
                tested[name].append((likeness, *_test(model.value, calls[name])))
        means = {name: fmean(accuracy for _, accuracy, _ in each) for name, each in tested.items()}
        fewest = fewest or means
        gains = [means[name] - fewest[name] for name in calls]
        low, high = paired(list(means.values()))
        quarter = [sorted(each, reverse=True)[: math.ceil(_ALIKE * len(each))] for each in tested.values()]
        points.append(
            ScalingPoint(
                size,
                math.comb(len(calls), size),
                fmean(means.values()),
                low,
                high,
                fmean(fmean(whole for *_, whole in each) for each in tested.values()),
                fmean(gains),
                *paired(gains),
                alike=fmean(fmean(one[1] for one in each) for each in quarter) if size > 1 else None,
            )
        )
    untaught = [_test(lambda each: each.numbers[0], calls[name]) for name in calls]
    chance = [fmean(1 / len(call.tools) for call in chain(*tasks)) for tasks in calls.values()]
    return {
        "domains": {name: {"tasks": len(each), "calls": sum(map(len, each))} for name, each in calls.items()},
        "points": points,
        "request_like_tool": fmean(accuracy for accuracy, _ in untaught),
        "chance": fmean(chance),
    }


def _share(count: int, size: int, number: int) -> int:
    """Return how many tasks the domain of a number teaches, so that all `size` together teach `count`."""
    return count // size + (number < count % size)


def _calls_of(domain: Domain, tasks: Sequence[Task]) -> list[list[NextCall]]:
    """Return the decisions of each task, without those of identifying the caller and declining, alike everywhere."""
    graph = read_graph(domain.path)
    edges = {(edge.source, edge.target, edge.kind) for edge in graph.edges}
    tools = [tool for tool in domain.tools.values() if tool.name not in (DECLINE, IDENTIFY)]
    results = {each["name"]: set(_names_in(each["outputSchema"])) for each in list_tools(domain)}
    requests = [(task, wish) for task in tasks for wish in range(len(task.user.wishes))]
    texts = [f"{tool.name} {tool.description}" for tool in tools]
    vectors = text_vectors([*texts, *(task.user.wishes[wish].words[0] for task, wish in requests)])
    of_request = {(task.id, wish): vector for (task, wish), vector in zip(requests, vectors[len(tools) :], strict=True)}
    found = []
    for task in tasks:
        own: list[NextCall] = []
        known = {fact.name.replace(" ", "_") for fact in task.user.facts}
        called: list[tuple[str, int]] = []
        for step in task.chain:
            if step.tool in (DECLINE, IDENTIFY):
                continue
            request = of_request[task.id, step.wish]
            last, of_wish = (called[-1][0] if called else ""), [name for name, wish in called if wish == step.wish]
            likeness = [cosine(request, vector) for vector in vectors[: len(tools)]]
            most, candidates = max(likeness) or 1.0, []
            wanted = {  # what the request is like, but cannot be called yet
                tool.name: value / most
                for tool, value in zip(tools, likeness, strict=True)
                if not known.issuperset(_ids(tool))
            }
            for tool, value in zip(tools, likeness, strict=True):
                words = words_of(tool.name.replace("_", " "))
                needs = tool.arguments.schema.get("required", [])
                ids = _ids(tool)
                leads = [wanted.get(edge.target, 0.0) for edge in graph.out_of(tool.name) if edge.kind == "data_flow"]
                reads, starts = tool.read_only, not of_wish
                numbers = (
                    value,
                    value / most,
                    value / most * known.issuperset(ids),
                    value / most * (not reads),
                    max(leads, default=0.0) * known.issuperset(ids),
                    sum(word in request for word in words) / len(words),
                    *(float(reads is read and starts is start) for read in (True, False) for start in (True, False)),
                    *(float((last, tool.name, kind) in edges) for kind in KINDS),
                    float(any((name, tool.name, "data_flow") in edges for name, _ in called[:-1])),
                    float(tool.name in of_wish),
                    float(tool.name == last),
                    float(any(name == tool.name for name, _ in called)),
                    sum(each in known for each in needs) / len(needs) if needs else 1.0,
                    float(bool(ids) and known.issuperset(ids)),
                    float(not known.issuperset(ids)),
                    float(not called and reads and not ids),
                    float(not reads and task.user.wishes[step.wish].acts),
                )
                verb = words[0]
                candidates.append(NextTool(numbers, (verb, f"{last.partition('_')[0]} {verb}")))
            own.append(NextCall(tuple(candidates), [tool.name for tool in tools].index(step.tool)))
            called.append((step.tool, step.wish))
            known |= results[step.tool] | step.arguments.keys()
        found.append(own)
    return found


def _ids(tool: Tool) -> list[str]:
    """Return the required arguments of a tool that name a row."""
    return [each for each in tool.arguments.schema.get("required", []) if each.endswith("_id")]


def _names_in(schema: Any) -> Iterator[str]:
    """Yield the names of all properties of a JSON Schema, those of nested ones too."""
    if isinstance(schema, Mapping):
        yield from schema.get("properties", {})
    for part in schema.values() if isinstance(schema, Mapping) else schema if isinstance(schema, list) else ():
        yield from _names_in(part)


class CallModel:
    """A conditional logit over the tools of any domain: weights of numbers and of words."""

    def __init__(self, numbers: int) -> None:
        self._numbers, self._words = [0.0] * numbers, dict[str, float]()
        self._of_numbers, self._of_words = [1e-8] * numbers, dict[str, float]()  # squares of gradients so far

    def value(self, tool: NextTool) -> float:
        """Return how well a tool fits, on a scale of logarithms."""
        of_words = (self._words.get(word, 0.0) for word in tool.words)
        return math.fsum(map(mul, self._numbers, tool.numbers)) + math.fsum(of_words)

    def learn(self, call: NextCall) -> None:
        """Take a step of Adagrad along the gradient of the right tool's log likelihood."""
        values = [self.value(tool) for tool in call.tools]
        most = max(values)
        parts = [math.exp(value - most) for value in values]
        whole = sum(parts)
        gradient, words = [0.0] * len(self._numbers), dict[str, float]()
        for number, (tool, part) in enumerate(zip(call.tools, parts, strict=True)):
            pull = (number == call.right) - part / whole
            if abs(pull) > _LEAST_CHANCE:
                gradient = [so_far + pull * each for so_far, each in zip(gradient, tool.numbers, strict=True)]
                for word in tool.words:
                    words[word] = words.get(word, 0.0) + pull
        for at, each in enumerate(gradient):
            self._of_numbers[at] += each * each
            self._numbers[at] += _RATE * each / math.sqrt(self._of_numbers[at])
        for word, each in words.items():
            self._of_words[word] = self._of_words.get(word, 1e-8) + each * each
            self._words[word] = self._words.get(word, 0.0) + _RATE * each / math.sqrt(self._of_words[word])


def _teach(calls: Sequence[NextCall], seed: int) -> CallModel:
    model, draw = CallModel(len(calls[0].tools[0].numbers)), Random(seed)
    order: list[NextCall] = []
    for _ in range(STEPS):
        if not order:
            order = draw.sample(calls, len(calls))
        model.learn(order.pop())
    return model


def _test(value: Callable[[NextTool], float], tasks: Sequence[Sequence[NextCall]]) -> tuple[float, float]:
    """Return the share of calls for which the right tool has the greatest value, and of tasks with no other call."""
    right = [
        [max(range(len(call.tools)), key=lambda at: value(call.tools[at])) == call.right for call in task]
        for task in tasks
    ]
    return fmean(chain(*right)), fmean(map(all, right))
