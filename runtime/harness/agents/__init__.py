"""Agents: `models` that chat over an API, a `program` over MCP, the `reference`, and `baselines` that must fail."""
