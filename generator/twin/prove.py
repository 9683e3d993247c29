"""Prove a twin's folder, which serves already: cases, scenarios without faulty ones, the graph, and tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.gates.cases.case import write_cases
from generator.gates.folder import FolderRequest
from generator.gates.worlds import columns_with_ids
from generator.graph.find import prove_graph, with_chain_flows, write_graph
from generator.isolation.job import Job
from generator.isolation.process import prove_each
from generator.scenarios.judge import ScenariosRequest, prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.make import Making, make_tasks, write_lines
from generator.twin.cases import write_cases_of
from generator.twin.examples import read_world
from generator.twin.scenarios import ScenarioBook
from generator.twin.settled import Settled
from generator.twin.source import Operation
from runtime.domain.load import load_domain
from runtime.errors import WorldsmithError
from runtime.graph import Graph
from runtime.session.world import build_world

USUAL_TASKS = 40
_SEED, _SIZE = 1, 300  # of the world whose values people mention


@dataclass
class TwinProof:
    """What was made of a twin."""

    cases: int = 0
    scenarios: int = 0
    dropped: dict[str, str] = field(default_factory=dict)
    """Scenarios by templates that were left out, each with its first fault."""
    edges: int = 0
    tasks: int = 0
    levels: dict[int, int] = field(default_factory=dict)


def prove_twin(
    folder: Path,
    settled: Settled,
    operations: Sequence[Operation],
    say: Callable[[str], None] = lambda _: None,
    tasks: int = USUAL_TASKS,
) -> TwinProof:
    """Write `cases.jsonl`, `scenarios.py`, `graph.json` and `tasks.jsonl` of a folder that can be served.

    `say` is told what is done now. Errors: BrokenDomain, ProofFailed.
    """
    proof = TwinProof()
    say("writing cases")
    domain = load_domain(folder)
    world = build_world(domain.populate, domain.schema, domain.policies, domain.now, _SEED, _SIZE)
    if columns := columns_with_ids(world):
        settled.losses.append(f"Foreign keys of columns that hold keys without one: {', '.join(columns)}.")
    cases = write_cases_of(settled, operations, domain)
    (folder / "cases.jsonl").write_text(write_cases(cases), encoding="utf-8")
    proof.cases = sum(len(topic.cases) for topic in cases.values())
    say("writing scenarios")
    book = ScenarioBook(settled, operations, read_world(domain, _SEED, _SIZE))
    graph = _leave_out_faulty(folder, book, proof, say)
    say("finding the graph")
    graph = with_chain_flows(folder, graph) if proof.scenarios else graph
    write_lines(folder / "graph.json", write_graph(graph).splitlines())
    proof.edges = len(graph.edges)
    if proof.scenarios:
        made = make_tasks(Making(folder, tasks, least=0), say)
        write_lines(folder / "tasks.jsonl", made.lines)
        proof.tasks, proof.levels = len(made.lines), made.worth.levels
    return proof


def _leave_out_faulty(folder: Path, book: ScenarioBook, proof: TwinProof, say: Callable[[str], None]) -> Graph:
    """Write the scenarios that pass their gate, and find the part of the graph that needs none, at the same time."""
    path, asked = folder / "scenarios.py", FolderRequest(folder)
    jobs: list[tuple[Job[Any, Any], Any]] = [(prove_graph, asked)]
    if book.names:
        say(f"trying {len(book.names)} scenarios")
        path.write_text(book.text(), encoding="utf-8")
        jobs += [(measure_guesses, asked), (prove_scenarios, ScenariosRequest(folder, worded=True))]
    graph, *told = _each(jobs)
    if told:
        guessed, judged = told
        proof.dropped = {each.name: each.faults[0] for each in judged.scenarios if each.faults}
        proof.dropped |= {each.scenario: each.fault for each in guessed.scenarios if each.is_guessable}
        proof.scenarios = len(book.names) - len(proof.dropped)
        if proof.scenarios:
            path.write_text(book.text(without=[*proof.dropped]), encoding="utf-8")
        else:
            path.unlink()
    assert isinstance(graph, Graph)
    return graph


def _each(asked: Sequence[tuple[Job[Any, Any], Any]]) -> list[Any]:
    """What jobs tell; errors: the first one."""
    told = prove_each(asked)
    for each in told:
        if isinstance(each, WorldsmithError):
            raise each
    return told
