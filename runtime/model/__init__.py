"""Asking a language model: one protocol, and the ways to get an answer.

A `Request` goes to a `Model` and comes back as an `Answer`. Four kinds answer: the Anthropic API, a relay folder where
anybody answers files, recorded answers, and a script for tests.
"""
