"""What becomes of a source's rows and values: each is taken, changed with a word, or left out with a word."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from generator.twin.account import Account, TableRows
from generator.twin.schema import settle
from generator.twin.secrets import is_secret_name, look_secret
from generator.twin.source import Reference, SourceColumn, SourceSchema, SourceTable, TwinSource
from generator.twin.world import given_database, write_world
from runtime.domain.policies import Policies
from runtime.domain.schema import read_schema
from runtime.errors import UsageError
from runtime.sandbox.module import load_module
from runtime.session.world import World, build_world, read_world


def _column(name: str, kind: Any = "text", **more: Any) -> SourceColumn:
    return SourceColumn(name, kind, **more)


def _table(name: str, *columns: SourceColumn, rows: list[tuple[Any, ...]] = [], **more: Any) -> SourceTable:  # noqa: B006
    """A table with the key `id`, counted, and rows by its columns, the key first."""
    known = {each.name: each for each in (_column("id", "integer", required=True, made="counter"), *columns)}
    held = [dict(zip(known, row, strict=False)) for row in rows]
    return SourceTable(name, known, ("id",), rows=held, **more)


def _settle(*tables: SourceTable, **options: Any) -> SourceSchema:
    source = TwinSource("Test", "test", {each.name: each for each in tables}, real_rows=True)
    return settle(source, **options)


def _held(column: SourceColumn, values: list[Any], **more: Any) -> tuple[str, list[Any], str]:
    """The kind of a column once these values are settled, the values, and all that is said."""
    settled = _settle(_table("item", column, rows=[*enumerate(values, 1)], **more))
    table = settled.tables["item"]
    return table.columns[column.name].kind, [row[column.name] for row in table.rows], "\n".join(settled.losses)


def _world(settled: SourceSchema, folder: Path, size: int) -> World:
    path = folder / "world.py"
    path.write_text(write_world(settled), encoding="utf-8")
    schema = read_schema(settled.sql).schema
    populate = load_module(path, "world_of_a_test").populate
    return build_world(populate, schema, Policies(schema, {}, {}), settled.clock, 1, size)


def _rows(world: World, table: str) -> list[dict[str, Any]]:
    with closing(world.open()) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]


BIG, UNSIGNED = 2047948614742839297, 18446744073709551615


@pytest.mark.parametrize(
    ("declared", "values", "kind", "held"),
    [
        ("boolean", [0, 1, 2, 3], "integer", [0, 1, 2, 3]),
        ("boolean", ["1", "-1", "0"], "integer", [1, -1, 0]),
        ("boolean", ["t", "f", True], "boolean", [1, 0, 1]),
        ("boolean", ["yes", "maybe"], "text", ["yes", "maybe"]),
        ("integer", ["yes", "no"], "text", ["yes", "no"]),
        ("real", ["12,50", "2,20", "7,00"], "real", [12.5, 2.2, 7.0]),
        ("real", ["1.234,50", "0,5"], "real", [1234.5, 0.5]),
        ("real", ["1,234.50", "$ 7", "1,000,000"], "real", [1234.5, 7.0, 1e6]),
        ("integer", ["1,200", "3"], "integer", [1200, 3]),
        ("real", ["1,234", "12,50"], "text", ["1,234", "12,50"]),
        ("real", ["1.234.567", "-2,5"], "real", [1234567.0, -2.5]),
        ("integer", ["0160 123", "5"], "text", ["0160 123", "5"]),
        ("real", ["007.5", 2.5], "text", ["007.5", "2.5"]),
        ("integer", [*range(100), "0042"], "text", [*map(str, range(100)), "0042"]),
        ("integer", [1.5, 2], "real", [1.5, 2.0]),
        ("integer", [BIG, 1], "text", [str(BIG), "1"]),
        ("integer", [UNSIGNED], "text", [str(UNSIGNED)]),
        ("integer", [str(-BIG), None], "text", [str(-BIG), None]),
        ("integer", [2**53, 0], "integer", [2**53, 0]),
    ],
)
def test_values_mean_what_they_meant(declared: Any, values: list[Any], kind: str, held: list[Any]) -> None:
    found, values, told = _held(_column("n", declared), values)
    assert (found, values) == (kind, held)
    assert kind == declared or f"Columns that are {kind} in the twin, " in told


@pytest.mark.parametrize("more", [{"default": 2}, {"default": "7"}])
def test_a_flag_with_another_default_or_condition_is_a_number(more: dict[str, Any]) -> None:
    assert _held(_column("level", "boolean", **more), [0, 1])[0] == "integer"
    assert _held(_column("level", "boolean"), [0, 1], checks=["level IN (0, 1, 2)"])[0] == "integer"
    assert _held(_column("level", "boolean"), [0, 1], checks=["level IN (0, 1) AND id < 9"])[0] == "boolean"


@pytest.mark.parametrize(
    ("digits", "decimals", "values", "held", "most"),
    [
        (8, 2, [12.505, "2.2", 1], [12.51, 2.2, 1.0], 999999.99),
        (4, 3, [1.0005, -2], [1.001, -2.0], 9.999),
        (None, 2, [0.125], [0.13], None),
        (20, 4, [1.5], [1.5], None),
        (3, 1, [100.25], [100.3], None),
    ],
)
def test_decimals_are_kept_to_their_scale(digits: Any, decimals: int, values: Any, held: Any, most: Any) -> None:
    settled = _settle(
        _table("item", _column("price", "real", digits=digits, decimals=decimals), rows=[*enumerate(values, 1)])
    )
    price = settled.tables["item"].columns["price"]
    assert [row["price"] for row in settled.tables["item"].rows] == held
    assert (price.least, price.most) == (None if most is None else -most, most)
    assert "rounded to" in "\n".join(settled.losses) or values == [1.5]


@pytest.mark.parametrize("big_key", [True, False])
def test_a_key_and_what_refers_to_it_stay_of_one_type(tmp_path: Path, big_key: bool) -> None:
    key = SourceTable("chat", {"id": _column("id", "integer", required=True), "name": _column("name")}, ("id",))
    key.rows = [{"id": BIG if big_key else 7, "name": "Ann"}, {"id": 8, "name": "Bob"}]
    to = Reference(("chat_id",), "chat", ("id",))
    line = _table("line", _column("chat_id", "integer"), references=[to], checks=["chat_id > 0"])
    line.rows = [{"id": 1, "chat_id": key.rows[0]["id"]}, {"id": 2, "chat_id": None if big_key else BIG}]
    settled = _settle(key, line)
    assert [settled.tables["chat"].columns["id"].kind, settled.tables["line"].columns["chat_id"].kind] == ["text"] * 2
    assert settled.tables["line"].rows[0]["chat_id"] == settled.tables["chat"].rows[0]["id"]
    assert settled.tables["line"].references == [to]
    assert "CHECKs of numbers in columns that are text in the twin: line (chat_id > 0)." in settled.losses
    assert _rows(_world(settled, tmp_path, 100), "line")


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        (_column("day", "date"), ["2024-01-02", "soon", *["2024-01-03"] * 30], "1 value not valid as date, NULL in"),
        (_column("day", "date"), ["2024-01-02 10:30:00"], "1 value whose time of day is left out: item.day."),
        (_column("at", "timestamp"), ["2024-01-02T10:30:00+02:00", "2024-01-02 10:00Z"], "1 value whose time zone or"),
        (
            _column("at", "timestamp", made="clock", required=True),
            ["soon"] + ["2024-01-02"] * 30,
            "the time of the clock",
        ),
        (_column("n", "integer"), ["", 4], "1 value left empty, NULL in the twin: item.n."),
        (_column("note"), ["x" * 1_500, "y"], "1 value of more than 1,000 characters, shortened: item.note."),
        (_column("note"), ["x ", "y  ", "z"], "2 values whose blanks at the end are left out: item.note."),
        (_column("code", longest=3), ["abcd"], "Columns whose rows hold longer texts than they may: item.code."),
        (_column("day", "date", required=True), [None, "2024-01-02"], "because day is missing: item (1)."),
    ],
)
def test_nothing_of_a_row_is_lost_without_a_word(column: SourceColumn, values: list[Any], said: str) -> None:
    assert said in _held(column, values)[2]


def test_the_account_of_rows_closes() -> None:
    rows = [(1, "a"), (2, "a"), (1, "b"), (3, "c")]
    settled = _settle(_table("Thing", _column("code"), uniques=[("code",)], rows=rows))
    assert settled.account.rows["Thing"].kept == 2
    assert settled.account.rows["Thing"].left_out.total() == 2
    made = _settle(_table("thing", _column("code"), rows=rows), synthetic=True)
    assert made.account.rows["thing"].left_out == {"all rows are made up": 4}
    some = _settle(_table("a"), _table("b", rows=[(1,)]), chosen=["a"])
    assert "Tables that --tables leaves out: b." in some.losses
    assert "Rows that are left out because their table is left out: b (1)." in some.losses
    source = TwinSource("Test", "test", {"thing": _table("thing", rows=[(1,), (2,)])})
    source.account.rows["thing"] = TableRows(3)
    with pytest.raises(UsageError, match="'thing' has 3 rows by a plain count, but 2 kept and 0 left out"):
        settle(source)


def test_what_was_counted_twice_is_noted_once_under_its_own_name() -> None:
    account = Account()
    account.keep("column", "a.b")
    account.counts["column"] = 1
    account.change("column", "a.b", "Shortened")
    account.change("column", "a.b", "Renamed")
    account.change("column", "a.c", "Of another reader")
    assert [*account.differences()] == []
    assert account.losses() == ["Shortened: a.b.", "Renamed: a.b.", "Of another reader: a.c."]


# Secrets

GIVEN = {
    "password_hash": ["$2b$12$REALHASHANNREALHASHANN", "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g"],
    "api_key": ["sk_live_51REALKEY", "sk_live_52REALKEY"],
    "password": ["pbkdf2_sha256$1000000$K1RGsalt$aGFzaGhhc2hoYXNo", "hunter2!"],
    "card_number": ["4111 1111 1111 1111", "5500000000000004"],
    "ssn": ["078-05-1120", "219-09-9999"],
    "otp": ["482913", "907561"],
    "mystery": ["ghp_abcdEFGH1234ijklMNOP5678qrst", "AKIAIOSFODNN7EXAMPLE"],
    "blob": ["eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"],
}


def test_secrets_never_travel_and_keep_their_form(tmp_path: Path) -> None:
    texts = {
        "note": ["at postgres://shop:s3cretpw@db/shop", "the card 4111 1111 1111 1111, please"],
        "settings": ['{"theme": "dark", "smtp": {"password": "s3cretpw"}}', '{"count": 3, "api_key": "s3cretpw"}'],
    }
    columns = [_column(name, required=True) for name in GIVEN] + [_column("note"), _column("settings", "json")]
    rows = [(at + 1, *(each[at] for each in (*GIVEN.values(), *texts.values()))) for at in (0, 1)]
    table = _table("account", *columns, _column("token_count", "integer"), rows=rows, uniques=[("api_key",)])
    settled = _settle(table)
    text, account = write_world(settled), settled.tables["account"]
    for given in (*(value for each in GIVEN.values() for value in each), "s3cretpw", "4111 1111", "REALHASH", "K1RG"):
        assert given not in text
    assert [name for name, each in account.columns.items() if each.secret] == [*GIVEN]
    for row, (_, *given) in zip(account.rows, rows, strict=True):
        for name, old in zip(GIVEN, given, strict=False):
            assert len(row[name]) == len(old)
            assert re.sub("[A-Za-z0-9./+]", "", row[name]) == re.sub("[A-Za-z0-9./+]", "", old)
    assert account.rows[0]["api_key"].startswith("sk_live_FAKE")
    assert account.rows[0]["password_hash"].startswith("$2b$12$MADEUP")
    assert '"theme": "dark"' in account.rows[0]["settings"]
    assert account.rows[0]["note"].startswith("at postgres://shop:")
    assert f"since they may be secret: {', '.join(f'account.{each}' for each in GIVEN)}." in "\n".join(settled.losses)
    assert settled.sql == _settle(table).sql
    taken = _settle(table, taken=["Account.api_key"])
    assert taken.tables["account"].rows[0]["api_key"] == GIVEN["api_key"][0]
    with pytest.raises(UsageError, match="'account.key' is no column; write it as table.column"):
        _settle(table, taken=["account.key"])
    assert "made-up-" in write_world(_settle(table, synthetic=True))


@pytest.mark.parametrize(
    "name",
    [
        *("password", "user_pwd", "passwordHash", "encrypted_password", "secret", "client_secret", "access_token"),
        *("refresh_token", "api_key", "apikey", "private_key", "twofa_key", "totp", "salt", "ssn", "cvv", "iban"),
        *("credit_card_number", "cc_number", "recovery_codes", "token_hash", "social_security_number", "pin"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name, "text")


@pytest.mark.parametrize(
    "name",
    [
        *("key", "song_key", "primary_key", "keyword", "public_key", "token_count", "token_type", "file_hash", "keys"),
        *("commit_hash", "password_changed", "card_type", "library_card_number", "code", "postal_code", "pinned"),
        *("secretary", "salty", "hashtag", "tokenizer", "passport_country", "author", "shipping", "account"),
    ],
)
def test_names_of_what_is_no_secret(name: str) -> None:
    assert not is_secret_name(name, "text")


@pytest.mark.parametrize(
    "values",
    [
        ["3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
        ["4111111111111112", "4006381333931"],
        ["this_is_a_long_name_of_something_v2_x", "docs/2024/annual/report_of_the_year.pdf"],
        ["ORD-2024-000017", "555-0142", "(614) 555-0142", "2024-05-06"],
        ["Acme & Sons", "A sk_ nothing", ""],
    ],
)
def test_values_that_are_no_secrets(values: list[str]) -> None:
    assert not look_secret(values, "ref")


def test_a_key_that_is_a_secret_is_made_up_wherever_it_stands() -> None:
    session = SourceTable("session", {"token": _column("token", required=True)}, ("token",))
    session.rows = [{"token": "q8Zr2LmT"}, {"token": "x1Yw7KpB"}]
    hit = _table("hit", _column("token"), references=[Reference(("token",), "session", ("token",))])
    hit.rows = [{"id": 1, "token": "x1Yw7KpB"}]
    settled = _settle(session, hit)
    assert settled.tables["hit"].rows[0]["token"] == settled.tables["session"].rows[1]["token"] != "x1Yw7KpB"
    assert settled.tables["hit"].columns["token"].secret


# Worlds


def _team() -> list[SourceTable]:
    team = _table("team", _column("name", required=True), _column("lead_id", "integer"), uniques=[("name",)])
    team.references = [Reference(("lead_id",), "member", ("id",))]
    team.rows = [{"id": 11, "name": "North", "lead_id": 21}, {"id": 12, "name": "South", "lead_id": 22}]
    member = _table("member", _column("team_id", "integer", required=True), _column("full_name", required=True))
    member.columns["boss_id"] = _column("boss_id", "integer")
    member.references = [Reference(("team_id",), "team", ("id",)), Reference(("boss_id",), "member", ("id",))]
    people = [(21, 11, "Ada Okafor", None), (22, 12, "Jon Lind", 23), (23, 11, "Mei Tan", 21)]
    member.rows = [dict(zip(member.columns, each, strict=True)) for each in people]
    return [team, member]


def test_rows_that_refer_to_each_other_keep_their_values_and_keys(tmp_path: Path) -> None:
    settled = _settle(*_team())
    small = _world(settled, tmp_path, 9)
    for name in ("team", "member"):
        assert all(row in _rows(small, name) for row in settled.tables[name].rows)
    large = _world(settled, tmp_path, 300)
    teams, members = _rows(large, "team"), _rows(large, "member")
    assert min(row["id"] for row in teams if row["id"] > 12) == 13
    assert all(row["lead_id"] for row in teams)
    bosses = {row["id"]: row["boss_id"] for row in members}
    for start in bosses:
        seen, at = set(), start
        while at is not None:
            assert at not in seen
            seen.add(at)
            at = bosses[at]


def test_copies_count_anew_where_the_greatest_key_is_beyond_any_counter(tmp_path: Path) -> None:
    settled = _settle(_table("thing", _column("name"), rows=[(2**40 + n, f"Thing {n}") for n in range(5)]))
    assert max(row["id"] for row in _rows(_world(settled, tmp_path, 40), "thing")) < 100


@pytest.mark.parametrize(
    "check", ["code LIKE '[0-9][0-9]-[A-Z]'", "code GLOB 'A[0-9]'", "length(code) = 3 AND code > 'zzy'"]
)
def test_a_condition_that_no_copy_meets_is_left_out(tmp_path: Path, check: str) -> None:
    settled = _settle(_table("part", _column("code", required=True), uniques=[("code",)], checks=[check]))
    assert len(_rows(_world(settled, tmp_path, 60), "part")) > 3
    assert f"part ({check})." in "\n".join(settled.losses)
    assert ("CHECK" in settled.sql) == (settled.account.losses() == [])


def test_a_column_may_be_called_key(tmp_path: Path) -> None:
    settings = SourceTable("setting", {"key": _column("key", required=True), "value": _column("value")}, ("key",))
    settings.rows = [{"key": "theme", "value": "dark"}, {"key": "size", "value": "12"}]
    assert {"key": "theme", "value": "dark"} in _rows(_world(_settle(settings), tmp_path, 9), "setting")


def test_rows_without_a_time_of_their_own_have_that_of_the_clock() -> None:
    made = _column("made_at", "timestamp", made="clock")
    table = _table("account", _column("name"), made)
    table.rows = [{"id": 1, "name": "a"}, {"id": 2, "name": "b", "made_at": "2024-05-01 08:00"}]
    table.rows.append({"id": 3, "name": "c", "made_at": None})
    settled = _settle(table)
    assert [row["made_at"] for row in settled.tables["account"].rows] == [settled.clock, "2024-05-01 08:00:00", None]


PAIRS = [
    *[("ends_at", "starts_at", "timestamp"), ("checkin", "checkout", "date"), ("opens_at", "closes_at", "time")],
    *[("from_date", "to_date", "date"), ("begin_year", "finish_year", "integer"), ("min_price", "max_price", "real")],
    *[("check_in_on", "check_out_on", "date"), ("valid_from", "valid_until", "date")],
]


@pytest.mark.parametrize("is_given", [False, True])
def test_what_ends_ends_after_its_start(tmp_path: Path, is_given: bool) -> None:
    late = {"ends_at"}
    columns = [_column(name, kind, required=True) for one, two, kind in PAIRS for name in (one, two)]
    low = {"timestamp": "2024-05-0{} 08:00:00", "date": "2024-05-0{}", "time": "0{}:00:00"}
    rows = [
        (
            n,
            *(
                low[kind].format(n + (at == (one not in late))) if kind in low else n * 10 + at
                for one, _, kind in PAIRS
                for at in (0, 1)
            ),
        )
        for n in range(1, 7)
    ]
    settled = _settle(_table("event", *columns, rows=rows if is_given else []))
    made = _rows(_world(settled, tmp_path, 200), "event")
    assert len(made) > 100
    for one, two, _ in PAIRS:
        first, second = (two, one) if one in late else (one, two)
        assert all(row[first] <= row[second] for row in made)


@pytest.mark.parametrize(
    ("table", "column", "form"),
    [
        ("organization", "name", r"[A-Z]\w+ [A-Z]\w+( \d+)?"),
        ("person", "name", r"[A-Z]\w+ [A-Z]\w+"),
        ("device", "device_uuid", r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
        ("device", "homepage", r"https://example\.org/\w+/\d+"),
        ("device", "ip", r"192\.0\.2\.\d+"),
        ("device", "mac", r"([0-9a-f]{2}:){5}[0-9a-f]{2}"),
        ("device", "password", r"made-up-[0-9a-f]{24}"),
    ],
)
def test_made_values_look_like_what_they_are(tmp_path: Path, table: str, column: str, form: str) -> None:
    columns = [_column(column, required=True), _column("email")]
    for row in _rows(_world(_settle(_table(table, *columns)), tmp_path, 30), table):
        assert re.fullmatch(form, row[column])
        people = {"Alice", "Amir", "Carlos", "Fatima", "Kevin", "Maria", "Omar"}
        assert table != "organization" or row[column].split()[0] not in people


# One's own rows


def test_the_given_rows_are_a_world_under_their_own_keys(tmp_path: Path) -> None:
    settled = _settle(*_team())
    given_database(settled, tmp_path / "given.db")
    schema = read_schema(settled.sql).schema
    world = read_world(tmp_path / "given.db", schema, Policies(schema, {}, {}))
    assert _rows(world, "member") == settled.tables["member"].rows
    assert world.counter == 23


@pytest.mark.parametrize(
    "sql",
    [
        'CREATE TABLE "order" (ID INTEGER PRIMARY KEY, "From" TEXT); INSERT INTO "order" VALUES (4, \'here\')',
        "CREATE TABLE order_ (id INTEGER PRIMARY KEY, from_ TEXT); INSERT INTO order_ VALUES (4, 'here')",
        'CREATE TABLE "ORDER" (ID INTEGER, Extra TEXT, "FROM" TEXT); INSERT INTO "ORDER" VALUES (4, 1, \'here\')',
    ],
)
def test_a_file_of_the_source_is_read_by_its_own_names(tmp_path: Path, sql: str) -> None:
    order = _table("order", _column("From"), rows=[(1, "there")])
    notes = SourceTable("notes", {"body": _column("body")}, rows=[{"body": "a"}])
    settled = _settle(order, notes)
    assert settled.renamed == {"order_": "order", "order_.from_": "From", "notes.row_number": "rowid"}
    path = tmp_path / "own.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"{sql}; CREATE TABLE Notes (Body TEXT); INSERT INTO Notes VALUES ('x'), ('y')")
    schema = read_schema(settled.sql).schema
    world = read_world(path, schema, Policies(schema, {}, {}), renamed=settled.renamed)
    assert _rows(world, "order_") == [{"id": 4, "from_": "here"}]
    assert _rows(world, "notes") == [{"row_number": 1, "body": "x"}, {"row_number": 2, "body": "y"}]


def test_names_that_are_renamed_to_each_other_are_not_mixed_up(tmp_path: Path) -> None:
    table = _table("order", _column("from"), _column("from_"), rows=[(1, "A", "B")])
    settled = _settle(table)
    given_database(settled, tmp_path / "given.db")
    with closing(sqlite3.connect(tmp_path / "own.db")) as connection:
        connection.executescript(
            'CREATE TABLE "order" (id, "from", from_); INSERT INTO "order" VALUES (1, \'A\', \'B\')'
        )
    schema = read_schema(settled.sql).schema
    for file in ("given.db", "own.db"):
        world = read_world(tmp_path / file, schema, Policies(schema, {}, {}), renamed=settled.renamed)
        assert _rows(world, "order_") == settled.tables["order_"].rows == [{"id": 1, "from_": "A", "from__2": "B"}]


def test_bounds_of_a_text_are_no_condition_that_nothing_breaks() -> None:
    columns = {"id": SourceColumn("id", "integer", True), "length": SourceColumn("length", "text", least=1)}
    settled = settle(TwinSource("t", "t", {"policy": SourceTable("policy", columns, ("id",))}))
    assert "length >=" not in settled.sql
    assert "Bounds of columns that are text in the twin: policy.length." in settled.losses
