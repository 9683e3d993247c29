"""Hostile programs that no domain is loaded with: the syntax rules name what is wrong, and nothing of them runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.isolation.prove import prove
from tests.generator.isolation.attack import Folders, load_each, write_tool, write_world

ROOT = Path(__file__).parents[3]


NESTED = "WITH c0 AS (SELECT 1 x), {} SELECT * FROM c39".format(
    ", ".join(f"c{n} AS (SELECT a.x FROM c{n - 1} a, c{n - 1} b)" for n in range(1, 40))
)


def program(name: str, body: str, fault: str, top: str = "") -> object:
    """A function body, what stands at the top of its file, and what is said of it."""
    return pytest.param(name, body, top, fault, id=name)


TOOLS = [
    program(
        "subclasses_of_object",
        "return said(str(().__class__.__bases__[0].__subclasses__()))",
        "the attribute '__bases__'",
    ),
    program("globals_of_a_function", "return said(str(said.__globals__))", "the attribute '__globals__'"),
    program("builtins_by_name", "return said(str(__builtins__))", "the name '__builtins__'"),
    program(
        "attach_by_a_constant",
        "return said(str(db.select(\"ATTACH '/tmp/worldsmith_attack.db' AS other\")))",
        "SQLite does not accept this SQL: it does more than a SELECT.",
    ),
    program(
        "pragma_by_a_constant",
        "return said(str(db.select(\"PRAGMA temp_store_directory = '/tmp'\")))",
        "SQLite does not accept this SQL: it does more than a SELECT.",
    ),
    program(
        "parts_that_name_each_other",
        f"return said(str(db.select('{NESTED}')))",
        "SQLite does not accept this SQL: it names its WITH parts in each other",
    ),
    program("dunder_import", "return said(__import__('os').getcwd())", "the name '__import__'"),
    program(
        "format_that_walks_attributes",
        "return said('{0.__class__.__init__.__globals__}'.format(db))",
        "a format that reaches into its values",
    ),
    program("format_that_walks_items", "return said('{0[0]}'.format(db))", "a format that reaches into its values"),
    program("f_string_with_an_expression", "return said(f'{db.__dict__}')", "the attribute '__dict__'"),
    program("debugging_f_string", "return said(f'{db._workspace=}')", "the attribute '_workspace'"),
    program(
        "generator_frame",
        "g = (x for x in [1])\nreturn said(str(g.gi_frame.f_back.f_globals))",
        "the attribute 'f_back'",
    ),
    program("generator_code", "g = (x for x in [1])\nreturn said(str(g.gi_code))", "the attribute 'gi_code'"),
    program(
        "traceback_frame",
        "try:\n    {}['a']\nexcept KeyError as error:\n"
        "    return said(str(error.__traceback__.tb_frame.f_globals))\nreturn said('')",
        "the attribute '__traceback__'",
    ),
    program(
        "traceback_without_dunder",
        "try:\n    {}['a']\nexcept KeyError as error:\n    return said(str(error.tb_frame))\nreturn said('')",
        "the attribute 'tb_frame'",
    ),
    program(
        "exception_object_of_attribute_error",
        "try:\n    db.nothing\nexcept AttributeError as error:\n"
        "    error.obj.insert('thing', thing_id='x', label='y')\nreturn said('')",
        "the attribute 'obj'",
    ),
    program("getattr", "return said(str(getattr(db, '_work' + 'space')))", "builtin 'getattr'"),
    program("type_of_three_arguments", "return said(str(type('A', (), {})))", "builtin 'type'"),
    program(
        "evaluated_annotation",
        "return said('')",
        "annotation \"print('boo')\"",
        "def other(x: print('boo')):\n    return x\n",
    ),
    program(
        "text_annotation",
        "return said('')",
        "annotation '\\'__import__(\"os\").getcwd()\\''",
        "def other(x: '__import__(\"os\").getcwd()'):\n    return x\n",
    ),
    program(
        "text_in_a_typed_dict",
        "return said('')",
        "annotation \"'print(1)'\"",
        "class Other(TypedDict):\n    x: 'print(1)'\n",
    ),
    program(
        "field_default_factory",
        "return said('')",
        "'list' as a constant",
        "from runtime import Field\n\n\nclass Other(TypedDict):\n    x: Annotated[int, Field(default_factory=list)]\n",
    ),
    program(
        "field_pattern",
        "return said('')",
        "Field(pattern=...)",
        "from runtime import Field\n\n\nclass Other(TypedDict):\n    x: Annotated[str, Field(pattern='(a+)+$')]\n",
    ),
    program(
        "lambda_default",
        "return said((lambda x=().__class__: str(x))())",
        "the default '().__class__', which all calls share",
    ),
    program(
        "walrus_in_a_comprehension",
        "return said(str([y for x in [1] if (y := db._workspace)]))",
        "the attribute '_workspace'",
    ),
    program(
        "walrus_over_a_builtin",
        "return said(str([sum := 3 for x in [1]]))",
        "'sum' hides the builtin or import of that name",
    ),
    program("import_in_a_function", "from os import environ\nreturn said(str(environ))", "an import inside a function"),
    program("import_os", "return said(environ['HOME'])", "import from 'os'", "from os import environ\n"),
    program(
        "import_linecache",
        "return said(str(getlines('/etc/passwd')))",
        "import from 'linecache'",
        "from linecache import getlines\n",
    ),
    program(
        "import_runtime_session",
        "return said('')",
        "import from 'runtime.session.world'",
        "from runtime.session.world import World\n",
    ),
    program(
        "import_of_count",
        "return said(str('x' in count()))",
        "'itertools' does not offer 'count' to a domain",
        "from itertools import count\n",
    ),
    program("open", "return said(open('/etc/passwd').read())", "builtin 'open'"),
    program("compile", "return said(str(compile('1', '', 'eval')))", "builtin 'compile'"),
    program("breakpoint", "breakpoint()\nreturn said('')", "builtin 'breakpoint'"),
    program("input", "return said(input())", "builtin 'input'"),
    program("print", "print('boo')\nreturn said('')", "builtin 'print'"),
    program("exit", "exit(3)\nreturn said('')", "builtin 'exit'"),
    program("system_exit", "raise SystemExit(3)", "builtin 'SystemExit'"),
    program("keyboard_interrupt", "raise KeyboardInterrupt", "builtin 'KeyboardInterrupt'"),
    program(
        "recursion_error_caught",
        "try:\n    return said('')\nexcept RecursionError:\n    return said('')",
        "except catches RecursionError",
    ),
    program(
        "bare_except",
        "try:\n    for _ in range(10 ** 9):\n        pass\nexcept:\n    return said('survived')\nreturn said('')",
        "except catches everything",
    ),
    program(
        "except_rejection",
        "try:\n    for _ in range(10 ** 9):\n        pass\nexcept Rejection:\n"
        "    return said('survived')\nreturn said('')",
        "except catches Rejection",
    ),
    program(
        "sql_undeclared_table_by_a_constant",
        "return said(db.value('SELECT code FROM secret'))",
        "tool 'attack' reads table 'secret', which it does not declar",
    ),
    program(
        "sql_lone_surrogate_by_a_constant",
        "return said(str(db.select('SELECT \"\\ud800\" AS x')))",
        "a text with half of a surrogate pair",
    ),
    program(
        "recursion_by_a_sort_key",
        "key = lambda x: sorted([x], key=key)\nreturn said(str(key(1)))",
        "'key' calls itself",
    ),
    program(
        "recursion_by_arguments_at_the_top",
        "return said(str(call(call, call)))",
        "'f' is passed to itself",
        "def call(f, g):\n    return f(g, f)\n",
    ),
    program(
        "recursion_by_the_y_combinator",
        "y = lambda f: (lambda x: f(lambda v: x(x)(v)))(lambda x: f(lambda v: x(x)(v)))\n"
        "return said(str(y(lambda g: lambda n: g(n))(1)))",
        "'x' is passed to itself",
    ),
    program(
        "now",
        "return said(str(datetime.now()))",
        "datetime.now reads the machine's clock",
        "from datetime import datetime\n",
    ),
    program(
        "today", "return said(str(date.today()))", "date.today reads the machine's clock", "from datetime import date\n"
    ),
    program(
        "strftime_of_the_zone",
        "return said(datetime(2020, 1, 1).strftime('%s %Z'))",
        "%Z of a date depends on the machine",
        "from datetime import datetime\n",
    ),
    program("import_random", "return said('')", "import from 'random'", "from random import random\n"),
    program("identity", "return said(str(id(db)))", "builtin 'id'"),
    program("stack_size", "return said(str(db.select.__sizeof__()))", "the attribute '__sizeof__'"),
    program(
        "module_counter",
        "SEEN['a'] += 1\nreturn said(str(SEEN['a']))",
        "'Counter()' is not a constant",
        "from collections import Counter\n\nSEEN = Counter()\n",
    ),
    program(
        "default_list",
        "return said(str(grown(1)))",
        "the default '[]', which all calls share",
        "def grown(x, kept=[]):\n    kept.append(x)\n    return kept\n",
    ),
    program(
        "default_of_a_lambda",
        "f = lambda kept=[]: kept\nreturn said(str(f()))",
        "the default '[]', which all calls share",
    ),
    program("attribute_of_a_function", "said.kept = 1\nreturn said('')", "the attribute 'kept' is assigned"),
    program("defaults_of_a_function", "said.__defaults__ = (1,)\nreturn said('')", "the attribute '__defaults__'"),
    program("attribute_of_a_class", "Said.kept = 1\nreturn said('')", "the attribute 'kept' is assigned"),
    program(
        "annotations_of_a_class", "Said.__annotations__['x'] = int\nreturn said('')", "the attribute '__annotations__'"
    ),
    program(
        "dataclass_field",
        "Kept.names.append(1)\nreturn said(str(Kept.names))",
        "the default '[]', which all calls share",
        "from dataclasses import dataclass, field\n\n\n@dataclass\nclass Kept:\n"
        "    names: list[int] = field(default=[])\n",
    ),
    program(
        "named_tuple_replace",
        "return said(str(Kept(1)._replace(names=2)))",
        "the attribute '_replace'",
        "from typing import NamedTuple\n\n\nclass Kept(NamedTuple):\n    names: int\n",
    ),
    program("patched_rejection", "Rejection.__init__ = said\nreturn said('')", "the attribute '__init__'"),
    program("patched_kind", "Rejection.kind = 'x'\nreturn said('')", "the attribute 'kind' is assigned"),
    program(
        "patched_handle_in_a_loop",
        "for db.now in ['1999-01-01 00:00:00']:\n    pass\nreturn said(db.now)",
        "the attribute 'now' is assigned",
    ),
    program(
        "patched_handle_in_a_comprehension",
        "[1 for db.now in ['1999']]\nreturn said(db.now)",
        "the attribute 'now' is assigned",
    ),
    program(
        "patched_handle_by_unpacking", "db.now, x = '1999', 1\nreturn said(db.now)", "the attribute 'now' is assigned"
    ),
    program("patched_handle_in_place", "db.now += '!'\nreturn said(db.now)", "the attribute 'now' is assigned"),
    program(
        "workspace_of_the_handle",
        "db._workspace._connection.execute('COMMIT')\nreturn said('')",
        "the attribute '_connection'",
    ),
    program("class_of_the_handle", "db.__class__.now = '1999'\nreturn said('')", "the attribute '__class__'"),
    program(
        "hidden_builtin_list",
        "return said('')",
        "'sum' hides the builtin or import of that name",
        "def sum(x):\n    return 1\n",
    ),
    program(
        "hidden_author_type",
        "return said('')",
        "'Database' hides the builtin or import of that name",
        "class Database(TypedDict):\n    x: int\n",
    ),
    program(
        "injected_name",
        "return said(str(vars))\n",
        "the name '__builtins__'",
        "def other():\n    return __builtins__['.tick']\n",
    ),
    program("own_database", "return said(str(Database(None, '', None).now))", "'Database' as a value"),
    program("declaration_of_a_tool", "return said(str(attack.declaration))", "'attack' calls itself"),
    program(
        "undeclared_get_by_a_constant",
        "return said(str(db.get('secret', 'SECRET-0001')))",
        "tool 'attack' reads table 'secret', which it does not declar",
    ),
    program("stop_iteration", "return said(next(x for x in []))", "builtin 'next'"),
    program("assertion", "assert False", "'assert' in a domain's code"),
    program(
        "long_chain_of_operations",
        "return said(str(1" + " + 1" * 20_000 + "))",
        "expressions are nested too deeply",
    ),
    program(
        "deep_unary",
        "return said(str(" + "-" * 5_000 + "1))",
        "expressions are nested too deeply",
    ),
    program(
        "huge_literal",
        "return said(str(0x" + "f" * 2_000 + "))",
        "a number of more than 256 bits",
    ),
    program("unicode_private_attribute", "return said(str(db.＿workspace))", "invalid character '＿' (U+FF3F)"),
    program("unicode_dunder", "return said(str(db.__ｃlass__))", "the attribute '__class__'"),
    program("unicode_builtin", "return said(str(ｅval('1')))", "builtin 'eval'"),
    program("unicode_open", "return said(ｏpen('/etc/passwd'))", "builtin 'open'"),
    program(
        "constant_that_explodes",
        "return said('')",
        "Rejection while loading: RESOURCE_EXHAUSTED: This call makes",
        "BIG = 10 ** 10 ** 9\n",
    ),
    program(
        "constant_text_that_explodes",
        "return said('')",
        "Rejection while loading: RESOURCE_EXHAUSTED: This call needs",
        "BIG = 'a' * 10 ** 9\n",
    ),
    program(
        "constant_list_that_explodes",
        "return said('')",
        "Rejection while loading: RESOURCE_EXHAUSTED: This call needs",
        "BIG = [0] * 10 ** 9\n",
    ),
    program(
        "constant_that_calls",
        "return said('')",
        "'sum(range(10 ** 12))' is not a constant",
        "BIG = sum(range(10 ** 12))\n",
    ),
    program(
        "constant_frozenset_of_a_range",
        "return said('')",
        "'range(10 ** 9)' is not a constant",
        "BIG = frozenset(range(10 ** 9))\n",
    ),
    program(
        "literal_of_many_types",
        "return said('')",
        "'10 ** 10 ** 9' is computed here",
        "from typing import Literal\n\nOther = Literal[10 ** 10 ** 9]\n",
    ),
    program(
        "docstring_that_is_an_f_string",
        "return said('')",
        "builtin 'print'",
        "def other():\n    f'{print(1)}'\n    return 1\n",
    ),
]

WORLDS = [
    program("world_open", "open('/etc/passwd')", "builtin 'open'"),
    program("world_seed_anew", "world.random.seed()", "a call of 'seed'"),
    program("world_random_state", "world.random.setstate(world.random.getstate())", "the attribute 'getstate'"),
    program("world_system_random", "world.random.__class__()", "the attribute '__class__'"),
    program("world_connection", "world._connection.execute('DROP TABLE thing')", "the attribute '_connection'"),
    program("world_patched", "world.size = 10 ** 9", "the attribute 'size' is assigned"),
    program("world_dict", "world.__dict__['size'] = 1", "the attribute '__dict__'"),
    program(
        "world_clock",
        "world.insert('thing', label=str(datetime.now()))",
        "datetime.now reads the machine's clock",
        "from datetime import datetime\n",
    ),
    program("world_getrandbits", "world.random.getrandbits(10 ** 10)", "the attribute 'getrandbits'"),
]


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What is said of each program, found in one child that loads them all."""
    folder = tmp_path_factory.mktemp("refused")
    paths: dict[str, Path] = {}
    for write, table in ((write_tool, TOOLS), (write_world, WORLDS)):
        for each in table:
            name, body, top, _ = each.values
            paths[name] = write(folder / name, body, top)
    return prove(load_each, Folders(paths), reads=[folder], root=ROOT).faults


@pytest.mark.parametrize(("name", "body", "top", "fault"), [*TOOLS, *WORLDS])
def test_a_hostile_program_is_refused(name: str, body: str, top: str, fault: str, faults: dict[str, list[str]]) -> None:
    assert any(fault in each for each in faults[name]), faults[name]
