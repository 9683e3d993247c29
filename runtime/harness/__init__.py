"""Agent x user x session: episodes, evaluations of many, and what is read of them afterwards.

task -> world -> `play` asks the `Episode` what must happen next and has the agent, the session or the user do it
-> `EpisodeRecord` with the verdict on the session's own database -> run store -> scores, report, export.
"""
