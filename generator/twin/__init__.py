"""A twin of a process: a proven domain from a database, SQL, an OpenAPI document or a running MCP server, without a model."""
