"""How an agent's calls reach a session of the world.

`open_connection(transport, ...)` -> `Connection`: the tools as the server lists them, `call` for one call after
another, and at the end `final`, the changes of the very database that the calls were made on.
"""
