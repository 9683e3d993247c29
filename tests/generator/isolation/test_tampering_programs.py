"""Hostile programs that look for the machine, other sessions or more rights: they find nothing and change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.gates.request import FolderRequest
from generator.isolation.prove import prove
from runtime.errors import EnvironmentFault
from tests.generator.isolation.attack import populate, write_world
from tests.generator.isolation.containing import LIMITS, ROOT, contain, program

PROGRAMS = [
    program(
        "computed_format_that_walks_attributes",
        "walk = '{0.' + '_' * 2 + 'class' + '_' * 2 + '}'\nreturn said(walk.format(db))",
        "FAULT: TypeError: the field '0.__class__' of a format reach",
    ),
    program(
        "computed_format_spec",
        "walk = '{0:{1.' + '_workspace}}'\nreturn said(walk.format(1, db))",
        "FAULT: TypeError: the field '0' of a format reaches into a",
    ),
    program(
        "f_string_conversion_of_a_handle",
        "return said(f'{db!r}')",
        "FAULT: TypeError: a Database cannot be written into a text;",
    ),
    program(
        "f_string_of_a_function",
        "return said(f'{said!s:>10}')",
        "FAULT: TypeError: a function cannot be written into a text;",
    ),
    program(
        "computed_percent_width",
        "layout = '%9999' + '999999d'\nreturn said(layout % 1)",
        "FAULT: TypeError: '%9999999999d' % ... formats text; write",
    ),
    program("extend_by_itself_lazily", "x = [1]\nx.extend(y for y in x)\nreturn said('')", 'RESULT: {"said":""}'),
    program(
        "add_to_the_dict_gone_over",
        "x = {1: 1}\nfor y in x:\n    x[y + 1] = 1\nreturn said('')",
        "FAULT: RuntimeError: dictionary changed size during iterati",
    ),
    program(
        "today_by_a_list",
        "return said(str([date][0].today()))",
        "FAULT: TypeError: <class 'datetime.date'> has no 'today' he",
        "from datetime import date\n",
    ),
    program(
        "today_of_a_value",
        "return said(str(date(2020, 1, 1).today()))",
        "FAULT: TypeError: datetime.date(2020, 1, 1) has no 'today'",
        "from datetime import date\n",
    ),
    program(
        "now_of_a_walrus",
        "return said(str((d := datetime(2020, 1, 1)).now()))",
        "FAULT: TypeError: datetime.datetime(2020, 1, 1, 0, 0) has n",
        "from datetime import datetime\n",
    ),
    program(
        "computed_strftime",
        "layout = '%' + 's'\nreturn said(datetime(2020, 1, 1).strftime(layout))",
        "FAULT: TypeError: %s of a date depends on the machine; writ",
        "from datetime import datetime\n",
    ),
    program(
        "strptime_of_the_locale",
        "layout = '%' + 'c'\nreturn said(str(datetime.strptime('x', layout)))",
        "FAULT: TypeError: %c of a date depends on the machine; writ",
        "from datetime import datetime\n",
    ),
    program(
        "order_of_a_set",
        "return said(str([x for x in {'a', 'b', 'c', 'd', 'e'}]))",
        "RESULT: {\"said\":\"['a', 'b', 'c', 'd', 'e']\"}",
    ),
    program("first_of_a_set", "return said({'a', 'b', 'c', 'd', 'e'}.pop())", 'RESULT: {"said":"a"}'),
    program("text_of_a_handle", "return said(str(db))", "FAULT: TypeError: a Database cannot be written into a text;"),
    program(
        "text_of_a_lambda",
        "return said(str([lambda: 1]))",
        "FAULT: TypeError: a function cannot be written into a text;",
    ),
    program(
        "text_of_a_bound_method",
        "return said('{}'.format(db.select))",
        "FAULT: TypeError: a method cannot be written into a text; w",
    ),
    program(
        "message_with_an_address", "raise ValueError(db)", "FAULT: TypeError: a Database cannot be written into a text;"
    ),
    program(
        "rejection_with_an_address",
        "raise Rejection.not_found(str((x for x in [1])))",
        "FAULT: TypeError: a generator cannot be written into a text",
    ),
    program(
        "rejection_with_a_handle",
        "raise Rejection.not_found(db)",
        "FAULT: TypeError: a Database cannot be written into a text;",
    ),
    program(
        "rejection_of_its_own_kind",
        "raise Rejection('OWNED', 'x')",
        "FAULT: A tool rejects with 'OWNED'; have: INVALID_ARGUMENT,",
    ),
    program(
        "rejection_as_a_result",
        "return Rejection.not_found('x')",
        "FAULT: returned a result that breaks its schema: The argume",
    ),
    program(
        "sort_by_identity",
        "return said(str(sorted([db, said])))",
        "FAULT: TypeError: '<' not supported between instances of 'f",
    ),
    program(
        "module_list",
        "NAMES.append(str(len(NAMES)))\nreturn said(str(NAMES))",
        "FAULT: AttributeError: 'tuple' object has no attribute 'app",
        "NAMES = ['a']\n",
    ),
    program(
        "module_dict",
        "SEEN['x'] = len(SEEN)\nreturn said(str(SEEN))",
        "FAULT: TypeError: 'mappingproxy' object does not support it",
        "SEEN = {'a': 1}\n",
    ),
    program(
        "list_within_a_module_dict",
        "SEEN['a'].append(len(SEEN['a']))\nreturn said(str(SEEN))",
        "FAULT: AttributeError: 'tuple' object has no attribute 'app",
        "SEEN = {'a': [1]}\n",
    ),
    program(
        "module_set",
        "SEEN.add(len(SEEN))\nreturn said(str(len(SEEN)))",
        "FAULT: AttributeError: 'frozenset' object has no attribute",
        "SEEN = {1}\n",
    ),
    program(
        "module_dict_in_place",
        "SEEN['a'] += 1\nreturn said(str(SEEN['a']))",
        "FAULT: TypeError: 'mappingproxy' object does not support it",
        "SEEN = {'a': 1}\n",
    ),
    program(
        "union_of_module_dicts",
        "SEEN['b'] = 3\nreturn said(str(SEEN))",
        "FAULT: TypeError: 'mappingproxy' object does not support it",
        "SEEN = {'a': 1} | {'b': 2}\n",
    ),
    program(
        "list_in_a_union",
        "SEEN['a'].append(3)\nreturn said(str(SEEN))",
        "FAULT: AttributeError: 'tuple' object has no attribute 'app",
        "SEEN = {'a': [1]} | {'b': [2]}\n",
    ),
    program(
        "times_of_a_list",
        "SEEN[0].append(3)\nreturn said(str(SEEN))",
        "FAULT: AttributeError: 'tuple' object has no attribute 'app",
        "SEEN = [[1]] * 3\n",
    ),
    program(
        "dataclass_replaced",
        "x = replace(db, now='1999-01-01 00:00:00')\nreturn said(x.now)",
        "FAULT: TypeError: replace() should be called on dataclass i",
        "from dataclasses import replace\n",
    ),
    program(
        "named_tuple_method",
        "return said(str(Kept.count((1,), 1)))",
        "FAULT: TypeError: a method of a type is not called by itsel",
        "from typing import NamedTuple\n\n\nclass Kept(NamedTuple):\n    names: int\n",
    ),
    program(
        "method_kept_as_a_value",
        "f = db.select\nreturn said(str(f('SELECT 1 AS x')))",
        'RESULT: {"said":"[{\'x\': 1}]"}',
    ),
    program(
        "rows_changed_in_place",
        "row = db.select('SELECT * FROM thing ORDER BY thing_id')[0]\n"
        "row['label'] = 'owned'\nreturn said(str(db.get('thing', row['thing_id'])))",
        "RESULT: {\"said\":\"{'thing_id': 'THING-0001', 'label': 'thing 0', 'amount': 0}\"}",
    ),
    program("name_of_a_tick", "tick = 3\nreturn said(str(tick))", 'RESULT: {"said":"3"}'),
    program(
        "undeclared_write",
        "name = 'secret'\ndb.insert(name, secret_id='x', code='y')\nreturn said('')",
        "FAULT: writes table 'secret', which it does not declare.",
    ),
    program(
        "undeclared_get",
        "name = 'secret'\nreturn said(str(db.get(name, 'SECRET-0001')))",
        "FAULT: reads table 'secret', which it does not declare.",
    ),
    program(
        "private_column",
        "db.insert('thing', **{'_x': 1})\nreturn said('')",
        "FAULT: writes unknown column thing._x; have: thing_id, labe",
    ),
    program(
        "key_of_another_type",
        "db.update('thing', 7, label='x')\nreturn said('')",
        "FAULT: looks for thing.thing_id 7, which is TEXT.",
    ),
    program(
        "row_of_another_type",
        "db.insert('thing', thing_id='x', label=7)\nreturn said('')",
        "FAULT: writes 7 to thing.label, which is TEXT.",
    ),
    program(
        "row_of_a_list",
        "db.insert('thing', thing_id='x', label=['a'])\nreturn said('')",
        "FAULT: writes ['a'] to thing.label, which is TEXT.",
    ),
    program(
        "result_of_another_shape", "return {'said': 1}", "FAULT: returned a result that breaks its schema: Argument '"
    ),
    program(
        "result_with_more",
        "return {'said': 'a', 'swordfish': 'b'}",
        "FAULT: returned a result that breaks its schema: Unknown ar",
    ),
    program("encoding_cookie", "return said('')", 'RESULT: {"said":""}', "# coding: utf-7\n"),
    program("form_feed_and_unicode_names", "return said(str(db.ｎow))", 'RESULT: {"said":"2026-03-16 09:30:00"}'),
]

WORLDS = [
    program(
        "seed_by_another_name",
        "again = world.random.seed\nagain()",
        "world.py crashed: TypeError: the random numbers of a world are s",
    ),
    program(
        "endless",
        "for a in range(10 ** 9):\n    pass",
        "world.py does too much at size 10: This call did more than 20200",
    ),
    program(
        "sample_bomb",
        "world.random.sample(range(10 ** 9), 10 ** 8)",
        "world.py does too much at size 10: This call did more than 20200",
    ),
    program(
        "choices_bomb",
        "world.random.choices([1, 2], k=10 ** 10)",
        "world.py does too much at size 10: This call needs a value of mo",
    ),
    program(
        "binomial_loop",
        "x = [world.random.gauss(0, 1) for _ in range(10 ** 9)]",
        "world.py does too much at size 10: This call did more than 20200",
    ),
    program(
        "randrange_of_a_large_number",
        "for _ in range(10 ** 8):\n    world.random.randrange(2 ** 4000)",
        "world.py does too much at size 10: This call did more than 20200",
    ),
    program(
        "share_bomb",
        "for _ in range(world.share(1e18)):\n    pass",
        "world.py does too much at size 10: This call did more than 20200",
    ),
    program(
        "day_bomb",
        "world.insert('thing', label=world.day(10 ** 20))",
        "world.py crashed: OverflowError: Python int too large to convert",
    ),
    program(
        "unknown_table",
        "world.insert('sqlite_master', name='x')",
        "world.py fills table 'sqlite_master'; have: thing, secret",
    ),
    program(
        "state_between_builds",
        "SEEN.append(1)\nworld.insert('thing', label=str(len(SEEN)))",
        "world.py crashed: AttributeError: 'tuple' object has no attribut",
        "SEEN = []\n",
    ),
    program(
        "state_in_a_dict",
        "SEEN['x'] = 1",
        "world.py crashed: TypeError: 'mappingproxy' object does not supp",
        "SEEN = {}\n",
    ),
    program(
        "address",
        "world.insert('thing', label=str(world))",
        "world.py crashed: TypeError: a WorldBuilder cannot be written in",
    ),
    program(
        "recursion",
        "table = {}\ntable['f'] = lambda x: table['f'](x)\ntable['f'](1)",
        "This call goes through more than 32 functions at once",
    ),
    program(
        "randint_of_a_large_number",
        "world.random.randint(0, 10 ** 10 ** 9)",
        "world.py does too much at size 10: This call makes a number of m",
    ),
    program(
        "lone_surrogate",
        "world.insert('thing', label=chr(0xd800))",
        "world.py makes a row of thing that does not fit: 'utf-8' codec c",
    ),
]


@pytest.mark.parametrize(("body", "top", "ends"), PROGRAMS)
def test_a_program_that_reaches_further_is_contained(body: str, top: str, ends: str, tmp_path: Path) -> None:
    contain(tmp_path, body, top, ends)


@pytest.mark.parametrize(("body", "top", "ends"), WORLDS)
def test_a_hostile_world_program_is_contained(body: str, top: str, ends: str, tmp_path: Path) -> None:
    path = write_world(tmp_path, body, top)
    with pytest.raises(EnvironmentFault) as raised:
        prove(populate, FolderRequest(path), LIMITS, reads=[path], root=ROOT)
    assert ends in str(raised.value)


def test_a_world_does_not_depend_on_the_order_of_a_set(tmp_path: Path) -> None:
    path = write_world(tmp_path, "for x in {'a', 'b', 'c', 'd'}:\n    world.insert('thing', label=x)")
    asked = FolderRequest(path)
    worlds = [prove(populate, asked, LIMITS, reads=[path], root=ROOT) for _ in range(2)]  # each hashes differently
    assert len({digest for each in worlds for digest in each.digests}) == 1
