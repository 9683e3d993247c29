"""Where a child process finds the graph: networkx must be there before its fence goes up."""

from __future__ import annotations

import networkx as networkx  # type: ignore[import-untyped]  # the fence lets nothing in that makes functions

from generator.graph.proof import prove_graph as prove_graph
