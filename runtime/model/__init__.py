"""Asking a language model: a `Request` for one JSON answer, or a `ChatRequest` for the next turn of a conversation.

Models are the Anthropic API, servers of chat completions, a relay folder where anybody answers files, and recorded
answers.
"""
