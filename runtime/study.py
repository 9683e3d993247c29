"""What a set of domains is in figures, as in ScaleEnv's appendix: tables 8 and 9, figures 4 and 5, and similarity."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import log, sqrt
from typing import Any, TypeAlias
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.graph import read_graph
from runtime.sandbox.files import is_there
from runtime.task.task import Task
from runtime.wording import counted

_OF_TASKS = ("scenarios", "reading")  # the stages that make tasks; all others make the domain itself
_FEWEST = 4  # tools, of which t-SNE can make a picture

Vectors: TypeAlias = NDArray[np.float64]
Points: TypeAlias = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class TokenCount:
    """Tokens of prompts and of completions."""

    prompt: float
    completion: float

    def as_json(self) -> dict[str, int]:
        total = self.prompt + self.completion
        return {"prompt": round(self.prompt), "completion": round(self.completion), "total": round(total)}


PAPER = {
    "foundation": TokenCount(379_000, 167_000),
    "per_task": TokenCount(74_600, 18_600),
}  # arXiv:2602.06820, table 9


@dataclass(frozen=True)
class DomainFacts:
    """One domain in figures; None where it has no graph, or does not record its tokens."""

    name: str
    title: str
    tasks: int
    splits: Mapping[str, int]
    levels: Mapping[str, int]
    tools: int
    tables: int
    edges: int | None = None
    density: float | None = None
    foundation: TokenCount | None = None
    per_task: TokenCount | None = None
    estimated: bool = False

    def as_json(self) -> dict[str, Any]:
        plain = {name: value for name, value in vars(self).items() if name not in ("name", *PAPER, "estimated")}
        tokens = {"foundation": self.foundation, "per_task": self.per_task, "estimated": self.estimated}
        return {"domain": self.name, **plain, "tokens": tokens}


def gather_facts(domain: Domain, tasks: Sequence[Task]) -> DomainFacts:
    """Count a domain and these of its tasks; errors: UsageError for a graph that cannot be read."""
    graph = read_graph(domain.path) if is_there(domain.path / "graph.json") else None
    recorded: Any = domain.card.provenance.get("tokens")
    foundation = per_task = None
    try:  # a card's provenance is free text to whoever wrote the domain
        stages = {
            name: TokenCount(+stage["prompt"], +stage["completion"]) for name, stage in recorded["by_stage"].items()
        }
        made: Any = domain.card.provenance.get("tasks", {})
        foundation = _sum([stage for name, stage in stages.items() if name not in _OF_TASKS])
        per_task = _sum([stage for name, stage in stages.items() if name in _OF_TASKS], made["count"])
    except (KeyError, TypeError, AttributeError, ZeroDivisionError):
        pass
    levels = Counter(str(task.level or "unknown") for task in tasks)
    return DomainFacts(
        name=domain.name,
        title=domain.card.title,
        tasks=len(tasks),
        splits={split: sum(task.split == split for task in tasks) for split in ("train", "held_out")},
        levels=dict(sorted(levels.items())),
        tools=len(domain.tools),
        tables=len(domain.schema.tables),
        edges=None if graph is None else len(graph.edges),
        density=None if graph is None else round(graph.density, 6),
        foundation=foundation,
        per_task=per_task,
        estimated=foundation is not None and bool(recorded.get("estimated")),
    )


def _sum(stages: Sequence[TokenCount], parts: float = 1) -> TokenCount | None:
    if not stages:
        return None
    return TokenCount(sum(each.prompt for each in stages) / parts, sum(each.completion for each in stages) / parts)


def mean_tokens(facts: Sequence[DomainFacts], of: str) -> TokenCount | None:
    """Return the mean of the tokens that are known; `of` is "foundation" or "per_task"."""
    known = [getattr(each, of) for each in facts if getattr(each, of) is not None]
    return _sum(known, len(known))


def task_table(facts: Sequence[DomainFacts]) -> tuple[list[str], list[list[object]]]:
    """Return table 8, tasks by domain, with the structure beside it; the last row is the total."""
    rows: list[list[object]] = [
        [each.name, each.tasks, *each.splits.values(), each.tools, each.tables, each.edges, each.density]
        for each in facts
    ]
    total: list[Any] = ["total", *(sum(column) for column in zip(*(row[1:6] for row in rows), strict=True)), "", ""]
    return ["domain", "tasks", "train", "held out", "tools", "tables", "edges", "density"], [*rows, total]


def token_table(facts: Sequence[DomainFacts], of: str) -> tuple[list[str], list[list[object]]]:
    """Return half of table 9, tokens of a domain or of a task, with their mean and what ScaleEnv reports."""
    made = [(each.name, getattr(each, of), each.estimated) for each in facts if getattr(each, of) is not None]
    made.append(("mean", mean_tokens(facts, of), any(about for *_, about in made)))
    made.append(("ScaleEnv's paper", PAPER[of], True))
    rows: list[list[object]] = [
        [name, *(f"{'~' if about else ''}{value:,}" for value in count.as_json().values())]
        for name, count, about in made
    ]
    return [f"tokens of a {'domain' if of == 'foundation' else 'task'}", "prompt", "completion", "total"], rows


def csv_files(facts: Sequence[DomainFacts], similarity: Mapping[tuple[str, str], float]) -> dict[str, str]:
    """Return the tables as CSV by file name; a domain of which a figure is unknown has an empty cell."""
    levels = sorted({level for each in facts for level in each.levels})
    names = [each.name for each in facts]
    parts = [f"{of}_{part}" for of in ("domain", "task") for part in ("prompt", "completion", "total")]
    head = ["domain", "tasks", "train", "held_out", *(f"level_{level}" for level in levels)]
    rows: list[Sequence[object]] = [[*head, "tools", "tables", "edges", "density", *parts, "estimated"]]
    for each in facts:
        tasks = [each.tasks, *each.splits.values(), *(each.levels.get(level, 0) for level in levels)]
        counts = [
            cell for of in (each.foundation, each.per_task) for cell in (of.as_json().values() if of else [""] * 3)
        ]
        structure = [each.tools, each.tables, each.edges, each.density]
        rows.append([each.name, *tasks, *structure, *counts, int(each.estimated) if each.foundation else ""])
    alike = ([one, *(f"{similarity[one, other]:.6f}" for other in names)] for one in names)
    return {"domains.csv": as_csv(rows), "similarity.csv": as_csv([["domain", *names], *alike])}


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def tool_vectors(domains: Sequence[Domain]) -> Vectors:
    """Return the TF-IDF vector of each tool's name and description, of length 1.

    A word that occurs n times weighs 1 + log n, times log((1 + tools) / (1 + tools that have it)) + 1.
    """
    tools = [tool for domain in domains for tool in domain.tools.values()]
    counts = [Counter(re.findall(r"[^\W\d_]{2,}", f"{each.name} {each.description}".casefold())) for each in tools]
    having = Counter(word for each in counts for word in each)
    columns = {word: number for number, word in enumerate(sorted(having))}
    vectors = np.zeros((len(counts), max(1, len(columns))))
    for row, each in enumerate(counts):
        for word, count in each.items():
            vectors[row, columns[word]] = (1 + log(count)) * (log((1 + len(counts)) / (1 + having[word])) + 1)
    return _unit(vectors)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths, lengths, 1)


def domain_similarity(domains: Sequence[Domain]) -> dict[tuple[str, str], float]:
    """Return the cosine of the mean tool vectors of each two domains: 0 for no common word, 1 for the same words."""
    ends = np.cumsum([len(domain.tools) for domain in domains])[:-1]
    units = _unit(np.stack([part.mean(axis=0) for part in np.split(tool_vectors(domains), ends)]))
    cosines = np.clip(units @ units.T, 0, 1)
    names = [domain.name for domain in domains]
    return {
        (one, other): 1.0 if one == other else round(float(cosines[row, column]), 6)
        for row, one in enumerate(names)
        for column, other in enumerate(names)
    }


def project(vectors: Vectors) -> Points:
    """Place vectors in a plane by t-SNE, within -1 and 1, starting from their principal axes on one thread.

    Errors: UsageError if scikit-learn is not installed, or there are too few vectors.
    """
    if len(vectors) < _FEWEST:
        raise UsageError(f"t-SNE needs at least {_FEWEST} tools, and there are {len(vectors)}.")
    try:
        tsne, threads = import_module("sklearn.manifold").TSNE, import_module("threadpoolctl").threadpool_limits(1)
    except ImportError:
        raise UsageError("t-SNE needs scikit-learn; install it with: pip install 'worldsmith[study]'.") from None
    perplexity = min(30.0, (len(vectors) - 1) / 3)
    with threads:
        places = tsne(perplexity=perplexity, init="pca", random_state=0, n_jobs=1).fit_transform(vectors)
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    scale = float(np.abs(places).max()) or 1.0
    return [(round(float(x) / scale, 4), round(float(y) / scale, 4)) for x, y in places]


def draw_tools(tools: Sequence[tuple[str, str]], points: Points) -> str:
    """Draw figure 4: all tools in a plane, a color for each domain; tooltips name them."""
    sizes = Counter(domain for domain, _ in tools)
    colors = {name: _color(number / len(sizes)) for number, name in enumerate(sizes)}
    about = f"{counted(len(tools), 'tool')} of {counted(len(sizes), 'domain')}: t-SNE of their names and descriptions"
    parts = [
        _circle(334 + 296 * x, 394 - 296 * y, 5, colors[domain], f"{tool} ({domain})")
        for (domain, tool), (x, y) in zip(tools, points, strict=True)
    ]
    parts += _legend({f"{name} ({size})": colors[name] for name, size in sizes.items()})
    return _page("Tools", "tools of domains by their words", about, max(728, 100 + 22 * len(sizes)), parts)


def draw_structure(facts: Sequence[DomainFacts]) -> str:
    """Draw figure 5: domains by tools and tables; the larger the circle, the denser the tool dependency graph."""
    across, up = (max(getattr(each, what) for each in facts) for what in ("tools", "tables"))
    densest = max(each.density or 0 for each in facts) or 1
    about = f"{counted(len(facts), 'domain')}; the area of a circle is the density of the tool dependency graph"
    parts = ['<path class="axis" d="M84 92V572H634"/>', _text("tools", 600, 612), _text("tables", 60, 84)]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(_text(f"{across * share:,.0f}", 84 + 500 * share, 592))
        parts.append(_text(f"{up * share:,.0f}", 54, 576 - 440 * share))
    for number, each in enumerate(facts):
        x, y = 84 + 500 * each.tools / across, 572 - 440 * each.tables / up
        radius = 5 + 16 * sqrt((each.density or 0) / densest)
        edges = "no graph" if each.density is None else f"{each.edges:,} edges, density {each.density:.3f}"
        words = f"{each.name}: {counted(each.tools, 'tool')}, {counted(each.tables, 'table')}, {edges}"
        fill = "none" if each.density is None else _color(number / len(facts))
        parts.append(_circle(x, y, radius, fill, words))
    parts += _legend({each.name: _color(number / len(facts)) for number, each in enumerate(facts)})
    height = max(640, 100 + 22 * len(facts))
    return _page("Structure of domains", "tools, tables and density of domains", about, height, parts)


def _legend(colors: Mapping[str, str]) -> Iterator[str]:
    for number, (name, color) in enumerate(colors.items()):
        yield _circle(680, 96 + 22 * number, 5, color)
        yield _text(name, 694, 101 + 22 * number)


def _page(title: str, name: str, about: str, height: int, parts: Iterable[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 {height}" role="img"'
    style = "text{font:13px system-ui,sans-serif}circle{fill-opacity:.7;stroke:#23272e}.axis{fill:none;stroke:#b5bcc4}"
    return "\n".join(
        [
            f"{head} aria-label={quoteattr(f'{title}: {name}')}><style>{style}</style>",
            f'<rect fill="#fdfdfc" width="960" height="{height}"/>',
            f'<text x="24" y="36" style="font-size:22px">{escape(title)}</text>',
            *(_text(about, 24, 60), *parts, "</svg>\n"),
        ]
    )


def _circle(x: float, y: float, radius: float, fill: str, words: str = "") -> str:
    title = f"<title>{escape(words)}</title>" if words else ""
    return f'<circle fill="{fill}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">{title}</circle>'


def _text(words: str, x: float, y: float) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'


def _color(share: float) -> str:
    return f"hsl({360 * share:.0f},65%,{35 if round(100 * share) % 2 else 48}%)"
