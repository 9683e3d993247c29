"""Hostile SQL and hostile rows: a tool reads what it declares, writes by row helpers alone, and ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generator.isolation.containing import contain, program

STATEMENTS = [
    program(
        "zeroblob",
        "sql = 'SELECT zeroblob(900000000) AS x'\nreturn said(str(db.value(sql)))",
        "FAULT: calls the SQL function zeroblob(), which is not allo",
    ),
    program(
        "hex_of_randomblob",
        "sql = 'SELECT hex(randomblob(900000000)) AS x'\nreturn said(str(db.value(sql)))",
        "FAULT: calls the SQL function randomblob(), which is not al",
    ),
    program(
        "random",
        "sql = 'SELECT random() AS x'\nreturn said(str(db.value(sql)))",
        "FAULT: calls the SQL function random(), which is not allowe",
    ),
    program(
        "cross_join",
        "sql = 'SELECT count(*) AS x FROM ' + ', '.join(f'thing AS t{i}' for i in range(12))\n"
        "return said(str(db.value(sql)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "group_concat",
        "sql = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900000) "
        'SELECT group_concat(i, "aaaaaaaaaaaaaaaa") AS x FROM n\'\n'
        "return said(str(db.value(sql)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "replace_bomb",
        "sql = \"SELECT replace(replace(printf('%200000d', 1), ' ', 'aaaaaaaaa'), 'a', 'bbbbbbbbb') "
        'AS x"\n'
        "return said(str(db.value(sql)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "deep_expression",
        "sql = 'SELECT ' + '(' * 90000 + '1' + ')' * 90000 + ' AS x'\nreturn said(str(db.value(sql)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "many_terms",
        "sql = 'SELECT ' + '+'.join(['1'] * 100000) + ' AS x'\nreturn said(str(db.value(sql)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "many_unions",
        "sql = ' UNION ALL '.join(['SELECT 1 AS x'] * 20000)\nreturn said(str(len(db.select(sql))))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "undeclared_table",
        "sql = 'SELECT code FROM secret'\nreturn said(db.value(sql))",
        "FAULT: reads table 'secret', which it does not declare.",
    ),
    program(
        "undeclared_table_in_a_subquery",
        "sql = 'SELECT (SELECT code FROM secret) AS x FROM thing'\nreturn said(db.value(sql))",
        "FAULT: reads table 'secret', which it does not declare.",
    ),
    program(
        "schema_table",
        "sql = 'SELECT group_concat(sql) AS x FROM sqlite_master'\nreturn said(db.value(sql))",
        "FAULT: reads table 'sqlite_master', which it does not decla",
    ),
    program(
        "attach",
        "sql = \"ATTACH '/tmp/worldsmith_attack.db' AS other\"\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "pragma",
        "sql = 'PRAGMA foreign_keys = OFF'\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "pragma_function",
        "sql = \"SELECT name AS x FROM pragma_table_info('secret')\"\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "parts_that_name_each_other",
        "parts = ', '.join(f'c{n} AS (SELECT a.x FROM c{n - 1} a, c{n - 1} b)' for n in range(1, 40))\n"
        "return said(str(db.select(f'WITH c0 AS (SELECT 1 x), {parts} SELECT * FROM c39')))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "load_extension",
        "sql = \"SELECT load_extension('/tmp/attack.so') AS x\"\nreturn said(str(db.value(sql)))",
        "FAULT: calls the SQL function load_extension(), which is no",
    ),
    program(
        "commit",
        "sql = 'COMMIT'\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "rollback",
        "sql = 'ROLLBACK'\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "savepoint",
        "sql = 'SAVEPOINT a'\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "update",
        "sql = \"UPDATE thing SET label = 'owned' RETURNING label\"\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "update_of_a_secret",
        "sql = \"UPDATE secret SET code = 'owned'\"\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "delete",
        "sql = 'DELETE FROM thing'\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "insert_after_a_cte",
        "sql = \"WITH n AS (SELECT 1) INSERT INTO thing SELECT 'x', 'y', 1\"\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "trigger",
        "sql = 'CREATE TEMP TRIGGER t AFTER INSERT ON thing BEGIN DELETE FROM secret; END'\n"
        "return said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "temp_table",
        "sql = 'CREATE TEMP TABLE thing (x)'\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "virtual_table",
        'sql = "CREATE VIRTUAL TABLE temp.v USING fts5(x)"\nreturn said(str(db.select(sql)))',
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "drop",
        "sql = 'DROP TABLE thing'\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "two_statements",
        "sql = 'SELECT 1 AS x; DROP TABLE thing'\nreturn said(str(db.select(sql)))",
        "FAULT: runs SQL that fails: You can only execute one statem",
    ),
    program(
        "two_statements_by_a_constant",
        "return said(str(db.select('SELECT 1 AS x; DROP TABLE thing')))",
        "FAULT: runs SQL that fails: You can only execute one statem",
    ),
    program(
        "that_ends_the_comment",
        "sql = '*/ DELETE FROM thing; /*'\nreturn said(str(db.select(sql)))",
        'FAULT: runs SQL that fails: near "*": syntax error.',
    ),
    program("huge_number_value", "return said(str(db.select('SELECT ? AS x', 2 ** 100)))", "RESOURCE_EXHAUSTED"),
    program(
        "value_of_a_list",
        "return said(str(db.select('SELECT ? AS x', [1])))",
        "FAULT: runs SQL that fails: Error binding parameter 1: type",
    ),
    program(
        "value_of_a_handle",
        "return said(str(db.select('SELECT ? AS x', db)))",
        "FAULT: runs SQL that fails: Error binding parameter 1: type",
    ),
    program(
        "clock",
        "sql = \"SELECT datetime('now', 'localtime') AS x\"\nreturn said(str(db.value(sql)))",
        'RESULT: {"said":"None"}',
    ),
    program(
        "current_timestamp",
        "sql = 'SELECT CURRENT_TIMESTAMP AS x'\nreturn said(str(db.value(sql)))",
        "FAULT: calls the SQL function current_timestamp(), which is",
    ),
    program(
        "strftime_of_the_clock",
        "sql = \"SELECT strftime('%f', 'now') AS x\"\nreturn said(str(db.value(sql)))",
        'RESULT: {"said":"00.000"}',
    ),
    program(
        "last_insert_rowid",
        "sql = 'SELECT last_insert_rowid() AS x'\nreturn said(str(db.value(sql)))",
        "FAULT: calls the SQL function last_insert_rowid(), which is",
    ),
    program(
        "sqlite_version",
        "sql = 'SELECT sqlite_version() AS x'\nreturn said(str(db.value(sql)))",
        "FAULT: calls the SQL function sqlite_version(), which is no",
    ),
    program(
        "strftime_width",
        "sql = \"SELECT strftime(printf('%.*c', 100000, '%'), 'now') AS x\"\n"
        "return said(str(len(db.value(sql) or '')))",
        'RESULT: {"said":"50000"}',
    ),
    program(
        "dbstat",
        "sql = 'SELECT * FROM dbstat'\nreturn said(str(db.select(sql)))",
        "FAULT: runs a statement that does more than SELECT; write t",
    ),
    program(
        "in_a_table_name",
        "name = 'thing\"; DROP TABLE thing; --'\ndb.insert(name, thing_id='x')\nreturn said('')",
        "FAULT: writes table 'thing\"; DROP TABLE thing; --', which i",
    ),
    program(
        "in_a_column_name",
        "db.insert('thing', **{'thing_id\") VALUES (1); --': 'x'})\nreturn said('')",
        'FAULT: writes unknown column thing.thing_id") VALUES (1); -',
    ),
]


@pytest.mark.parametrize(("body", "top", "ends"), STATEMENTS)
def test_a_hostile_statement_is_contained(body: str, top: str, ends: str, tmp_path: Path) -> None:
    contain(tmp_path, body, top, ends)
