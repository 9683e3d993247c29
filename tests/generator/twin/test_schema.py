"""How a source becomes a schema and worlds: names, keys, circles, rows that fit, and rows that are made up."""

from __future__ import annotations

from contextlib import closing

import pytest

from generator.twin.ddl import read_sql
from generator.twin.schema import settle
from generator.twin.world import MOST_CHARACTERS, write_world
from runtime.domain.policies import Policies
from runtime.domain.schema import read_schema
from runtime.errors import UsageError
from runtime.sandbox.module import load_module
from runtime.session.world import build_world
from tests.generator.twin.dumps import ALL, CHINOOK, DJANGO, MYSQL, NORTHWIND, POSTGRES, RAILS, SHOP


def _settled(sql, *tables, **options):
    return settle(read_sql(sql, "test", "test.sql"), tables, **options)


def _told(settled):
    return "\n".join(settled.losses)


def _worlds(settled, folder, *sizes):
    """Rows by table of worlds of these sizes, in which every key and every condition holds."""
    path = folder / "world.py"
    path.write_text(write_world(settled), encoding="utf-8")
    populate = load_module(path, "world_of_a_test").populate
    schema = read_schema(settled.sql).schema
    for size in sizes:
        world = build_world(populate, schema, Policies(schema, {}, {}), settled.clock, 1, size)
        with closing(world.open()) as connection:
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            yield {
                name: [dict(zip(table.column_names, row, strict=True)) for row in connection.execute(table.select_all)]
                for name, table in schema.tables.items()
            }


@pytest.mark.parametrize("synthetic", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_worlds_of_any_size_hold_every_constraint(tmp_path, name, synthetic):
    settled = _settled(ALL[name], synthetic=synthetic)
    small, large = _worlds(settled, tmp_path, 1, 400)
    assert all(large.values())
    assert sum(map(len, small.values())) < 60 < 200 < sum(map(len, large.values()))


def test_given_rows_recur_and_copies_have_values_of_their_own(tmp_path):
    settled = _settled(SHOP)
    (rows,) = _worlds(settled, tmp_path, 300)
    products = [row["name"] for row in rows["product"]]
    assert {"Hand rake", "Bean seeds"} & set(products)
    assert len(set(products)) == len(products) > 20
    assert settled.clock == "2024-06-04 09:00:00"
    assert {row["name"] for row in rows["category"]} == {"Tools", "Seeds", "Pots"}


def test_made_up_rows_hold_none_of_the_given_ones(tmp_path):
    (rows,) = _worlds(_settled(SHOP, synthetic=True), tmp_path, 300)
    text = repr(rows)
    for given in ("O'Hara", "Ben Li", "ann@example.org", "Hand rake", "Tools"):
        assert given not in text


def test_names_are_kept_or_renamed_and_every_renaming_is_said():
    sql = """
        CREATE TABLE "order" ("range" TEXT, "min" INT, "__x" TEXT, "Straße & Ort" TEXT, "名前" TEXT, "class" TEXT,
            "db" TEXT, "from" TEXT, "LineNo" INTEGER PRIMARY KEY);
        CREATE TABLE "Order Details" (id INTEGER PRIMARY KEY, "LineNo" INTEGER NOT NULL REFERENCES "order");
    """
    settled = _settled(sql)
    order, details = settled.tables["order_"], settled.tables["order_details"]
    assert list(order.columns) == ["line_no", "range_", "min_", "x", "strae_ort", "name_5", "class_", "db_", "from_"]
    assert details.references[0].table == "order_"
    assert (details.noun, details.nouns) == ("order detail", "order details")
    for part in ("order to order_", "range to range_", "名前 to name_5", "Order Details to order_details (LineNo to"):
        assert part in _told(settled)
    assert read_schema(settled.sql).faults == ()


def test_a_key_is_found_or_made():
    settled = _settled(RAILS + "CREATE TABLE notes (body text); INSERT INTO notes VALUES ('a'), ('a');")
    assert settled.tables["memberships"].key == ("user_id", "group_name")
    assert settled.tables["notes"].key == ("row_number",)
    assert [row["row_number"] for row in settled.tables["notes"].rows] == [1, 2]
    assert settled.tables["users"].counted
    assert "schema_migrations" not in settled.tables
    assert "schema_migrations" in _told(settled)
    assert "Values that the source makes by itself, and callers of the twin give: users.uid." in _told(settled)
    assert "with the time of the call, as their names suggest: users.created_at." in _told(settled)
    north = _settled(NORTHWIND)
    assert not north.tables["customers"].counted
    assert north.tables["orders"].counted


def test_a_circle_of_required_keys_loads_and_grows(tmp_path):
    settled = _settled(POSTGRES)
    assert len(settled.tables["store"].rows) == 2
    assert len(settled.tables["staff"].rows) == 3
    (rows,) = _worlds(settled, tmp_path, 500)
    assert len(rows["store"]) < len(rows["staff"])


def test_conditions_that_sqlite_does_not_take_or_rows_break_are_left_out_and_said():
    settled = _settled(
        POSTGRES + "CREATE TABLE odd (id integer PRIMARY KEY, n integer CHECK (n < 3)); INSERT INTO odd VALUES (1, 7);"
    )
    told = _told(settled)
    assert "CHECKs that SQLite does not take: film" in told
    assert "CHECKs that given rows break: odd (n < 3)" in told
    assert settled.tables["odd"].rows == [{"id": 1, "n": 7}]


def test_rows_that_do_not_fit_are_counted_with_the_reason():
    settled = _settled(
        """
        CREATE TABLE a (id INTEGER PRIMARY KEY, code TEXT UNIQUE, day DATE, note TEXT);
        CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL REFERENCES a(id), other INTEGER REFERENCES a(id));
        INSERT INTO a VALUES (1, 'x', '2024-01-01', 'n'), (2, 'x', '2024-01-02', ''), (1, 'y', '2024-01-02', 'n');
        INSERT INTO b VALUES (1, 1, 9), (2, 8, NULL);
        """
        + f"INSERT INTO a VALUES (5, 'z', '2024-01-02', '{'w' * 300_000}');"
    )
    told = _told(settled)
    for part in (
        *("because UNIQUE constraint failed: code: a (1).", "because UNIQUE constraint failed: id: a (1)."),
        *(
            "1 value naming a missing row of a, NULL in the twin: b.other.",
            "a_id names a missing row of a: b (1).",
        ),
        *("1 value of more than 1,000 characters, shortened: a.note.", "empty text is NULL in the twin: a.note."),
    ):
        assert part in told
    assert len(write_world(settled)) < MOST_CHARACTERS


def test_values_are_read_as_their_columns_hold_them():
    order = _settled(MYSQL).tables["order_"]
    assert [row["is_paid"] for row in order.rows] == [1, 0]
    purchases = _settled(SHOP).tables["purchase"].rows
    assert [row["bought_at"] for row in purchases][1:] == ["2024-06-03 09:30:00", "2024-05-02 11:00:00"]
    assert _settled(DJANGO).tables["auth_user"].rows[0]["date_joined"] == "2024-01-02 10:00:00"
    assert _settled(CHINOOK).tables["artist"].rows[0] == {"artist_id": 1, "name": "AC/DC"}


def test_chosen_tables_bring_those_that_their_required_keys_need():
    settled = _settled(SHOP, "purchase_line")
    assert set(settled.tables) == {"category", "product", "customer", "purchase", "purchase_line"}
    few = _settled(SHOP, "Product")
    assert list(few.tables) == ["category", "product"]
    assert "Tables that --tables leaves out: customer, purchase, purchase_line" in _told(few)
    with pytest.raises(UsageError, match="--tables names 'prodct'.*product"):
        _settled(SHOP, "prodct")


def test_more_tables_than_a_twin_has_are_listed():
    with pytest.raises(UsageError, match=r"has 70 tables; a twin has at most 60. Choose with --tables a,b.*t69"):
        _settled("".join(f"CREATE TABLE t{number} (id INT PRIMARY KEY);" for number in range(70)))
