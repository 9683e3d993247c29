"""Write `graph.json`: node-link JSON as networkx reads it, one line per node and edge."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from runtime.graph import FORMAT, Graph


def write_graph(graph: Graph) -> str:
    """The text of `graph.json`; nodes and edges stand in their order."""
    about = {
        "starts": [_short(start) for start in graph.starts],
        "unexecuted": graph.unexecuted,
        "crashed": dict(graph.crashed),
    }
    edges = [{**edge.model_dump(exclude={"evidence"}), "evidence": _short(edge.evidence)} for edge in graph.edges]
    parts = {
        "format": _line(FORMAT),
        "directed": _line(True),
        "multigraph": _line(True),
        "graph": _line(about),
        "nodes": _lines([node.model_dump() for node in graph.nodes.values()]),
        "edges": _lines(edges),
    }
    return "{\n" + ",\n".join(f'  "{name}": {text}' for name, text in parts.items()) + "\n}\n"


def _short(part: BaseModel) -> dict[str, Any]:
    return part.model_dump(mode="json", exclude_none=True)


def _lines(values: list[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(f"    {_line(value)}" for value in values) + "\n  ]" if values else "[]"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
