"""A run as one HTML page that opens from disk.

run -> `choose_episodes` (whose conversations the page holds) -> `tell_episode` with `compare_state` -> `page_parts`,
which puts all of it as JSON into page.html, beside page.css and page.js.
"""
