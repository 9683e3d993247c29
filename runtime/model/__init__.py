"""Asking a language model: one protocol, and the ways to get an answer.

A `Request` goes to a `Model` and comes back as an `Answer`; a `ChatRequest` goes to a `Chat` and comes back as its next
turn. Five kinds answer: the Anthropic API, servers of chat completions, a relay folder where anybody answers files,
recorded answers, and a script for tests.
"""
