"""A twin of a process: a proven domain from a database, SQL, OpenAPI or a running MCP server, without a model."""
