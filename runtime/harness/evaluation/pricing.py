"""What episodes of a store cost that were played before their model had a price: reckoned from the kept tokens."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from runtime.harness.evaluation.config import RunConfig
from runtime.harness.evaluation.store import ROW, EpisodeRow, checked_record, row_of
from runtime.model.options import model_of
from runtime.model.prices import Price


def price_episodes(connection: sqlite3.Connection, path: Path, config: RunConfig) -> int:
    """Give every episode without a cost the one that `--price` makes it; how many there were. Errors: AlteredStore.

    Nothing is done where agent and user are two models: the tokens of an episode are those of both.
    """
    asked = {model_of(name) or name for name in (config.agent, config.user) if name not in _FREE}
    prices = {model: Price.plain(prompt, completion) for model, prompt, completion in config.prices}
    if len(asked) != 1 or not asked <= prices.keys():
        return 0
    price = prices[asked.pop()]
    priced = 0
    for table in ("episode", "void_attempt"):
        for at, *columns in connection.execute(f"SELECT rowid, {ROW} FROM {table} WHERE cost IS NULL").fetchall():
            record = checked_record(EpisodeRow(*columns), path)
            tokens = record.tokens
            cost = price.of(tokens.get("prompt", 0), 0, 0, tokens.get("completion", 0))
            row = row_of(replace(record, cost=cost))
            connection.execute(f"UPDATE {table} SET cost = ?, record = ? WHERE rowid = ?", (row.cost, row.record, at))
            priced += 1
    return priced


_FREE = ("scripted", "none", "reference", "idle", "parrot", "random")
