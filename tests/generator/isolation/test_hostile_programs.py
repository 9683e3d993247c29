"""Hostile programs: each is refused when it is loaded, or its call ends within its limits and touches nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.isolation.job import MIB, ProvingLimits
from generator.isolation.process import run_job
from tests.generator.isolation.attack import Folders, Outcome, attack, write_tool, write_world

LIMITS = ProvingLimits(cpu_seconds=300, memory_bytes=768 * MIB)
DECIMAL = "from decimal import Decimal\n"

# Each value is the body of a tool, or its body and what stands at the top of its file.
Program = str | tuple[str, str]

REFUSED: dict[str, Program] = {
    "subclasses_of_object": "return said(str(().__class__.__bases__[0].__subclasses__()))",
    "globals_of_a_function": "return said(str(said.__globals__))",
    "format_that_walks_attributes": "return said('{0.__class__.__init__.__globals__}'.format(db))",
    "traceback_frame": "try:\n    {}['a']\nexcept KeyError as error:\n    return said(str(error.tb_frame))\n"
    "return said('')",
    "import_runtime_session": ("return said('')", "from runtime.session.world import World\n"),
    "undeclared_table_by_a_constant": "return said(db.value('SELECT code FROM secret'))",
    "attach_by_a_constant": "return said(str(db.select(\"ATTACH '/tmp/worldsmith_attack.db' AS other\")))",
    "module_state": ("SEEN['a'] += 1\nreturn said('')", "from collections import Counter\n\nSEEN = Counter()\n"),
    "workspace_of_the_handle": "db._workspace._connection.execute('COMMIT')\nreturn said('')",
    "constant_that_explodes": ("return said('')", "BIG = 10 ** 10 ** 9\n"),
}

OUTGROWING: dict[str, Program] = {
    "computed_width": "n = 9999999999\nreturn said(f'{1:>{n}}')",
    "decimal_exponent": ("return said(str(int(Decimal('1e999999999'))))", DECIMAL),
    "join_bomb": "x = 'ab'\nfor _ in range(60):\n    x = x.join([x, x])\nreturn said(x)",
    "product_by_comprehension": "return said(str(len([1 for a in range(10000) for b in range(10000)])))",
    "key_that_is_nested_deep": "x = 'a'\nfor _ in range(10 ** 5):\n    x = (x,)\ndb.get('thing', x)",
    "table_that_is_nested_deep": "x = 'a'\nfor _ in range(10 ** 5):\n    x = (x,)\nf = db.new_id\nf(x)",
    "result_that_is_nested_deep": "x = 'a'\nfor _ in range(10 ** 5):\n    x = (x,)\nreturn {'said': x}",
    "filled_database": "for n in range(10 ** 6):\n    db.insert('thing', thing_id=str(n), label='a' * 200000)\n"
    "return said('')",
    "cross_join": "sql = 'SELECT count(*) AS x FROM ' + ', '.join(f'thing AS t{i}' for i in range(12))\n"
    "return said(str(db.value(sql)))",
    "recursive_query": "sql = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n'"
    "\nreturn said(str(db.value(sql)))",
}

FORBIDDEN: dict[str, Program] = {
    "computed_format_that_walks": "walk = '{0.' + '_' * 2 + 'class' + '_' * 2 + '}'\nreturn said(walk.format(db))",
    "load_extension": "sql = \"SELECT load_extension('/tmp/attack.so') AS x\"\nreturn said(str(db.value(sql)))",
    "undeclared_table": "sql = 'SELECT code FROM secret'\nreturn said(db.value(sql))",
    "attach": "sql = \"ATTACH '/tmp/worldsmith_attack.db' AS other\"\nreturn said(str(db.select(sql)))",
    "pragma": "sql = 'PRAGMA foreign_keys = OFF'\nreturn said(str(db.select(sql)))",
    "trigger": "sql = 'CREATE TEMP TRIGGER t AFTER INSERT ON thing BEGIN DELETE FROM secret; END'\n"
    "return said(str(db.select(sql)))",
    "in_a_table_name": "name = 'thing\"; DROP TABLE thing; --'\ndb.insert(name, thing_id='x')\nreturn said('')",
    "undeclared_write": "name = 'secret'\ndb.insert(name, secret_id='x', code='y')\nreturn said('')",
}

WORLDS: dict[str, Program] = {
    "world_seed": "world.random.seed()",
    "world_endless": "for a in range(10 ** 9):\n    pass",
    "world_sample_bomb": "world.random.sample(range(10 ** 9), 10 ** 8)",
    "world_state": ("SEEN.append(1)\nworld.insert('thing', label=str(len(SEEN)))", "SEEN = []\n"),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """What came of every program; all run in one child process, which none of them ends."""
    folder = tmp_path_factory.mktemp("hostile")
    order = "for x in {'a', 'b', 'c', 'd'}:\n    world.insert('thing', label=x)"
    paths = {"world_order": write_world(folder / "world_order", order)}
    for table in (REFUSED, OUTGROWING, FORBIDDEN, WORLDS):
        for name, program in table.items():
            body, top = program if isinstance(program, tuple) else (program, "")
            paths[name] = (write_world if table is WORLDS else write_tool)(folder / name, body, top)
    return run_job(attack, Folders(paths), LIMITS).by_name


@pytest.mark.parametrize("name", [*REFUSED, *OUTGROWING, *FORBIDDEN, *WORLDS])
def test_a_hostile_program_is_refused_or_stopped_and_changes_nothing(name: str, outcomes: dict[str, Outcome]) -> None:
    found = outcomes[name]
    assert found.said[0] == found.said[1]
    # A single operation that outgrows the memory of the process is a fault.
    ends = ("REFUSED: ", "FAULT: ", "RESOURCE_EXHAUSTED: ") if name in OUTGROWING else ("REFUSED: ", "FAULT: ")
    assert found.said[0].startswith(ends), found
    assert "swordfish" not in found.said[0]
    assert name in REFUSED or not found.broken


def test_a_world_does_not_depend_on_the_order_of_a_set(outcomes: dict[str, Outcome], tmp_path: Path) -> None:
    order = "for x in {'a', 'b', 'c', 'd'}:\n    world.insert('thing', label=x)"
    again = run_job(attack, Folders({"again": write_world(tmp_path, order)}), LIMITS).by_name["again"]
    assert again.said == outcomes["world_order"].said  # another process, which hashes differently
    assert again.said[0].startswith("RESULT: ")
