"""What the files of tools say, whatever the records of a design are called."""

from __future__ import annotations

from generator.author.design import Catalogue, ToolTables
from generator.author.writing.code import Body, TopicCode, write_topic


def test_a_record_named_like_an_import_leaves_the_bounds_of_arguments_in_force() -> None:
    catalogue = Catalogue.model_validate(
        {
            "title": "A farm",
            "summary": "Fields.",
            "clock": "2026-03-17 09:00:00",
            "topics": [{"name": "land", "description": "fields"}],
            "records": [
                {"name": "Field", "fields": [{"name": "acres", "type": "integer", "description": "acres"}]},
                {"name": "FieldList", "fields": [{"name": "all", "type": "Field", "description": "all", "many": True}]},
            ],
            "tools": [
                {
                    "name": "list_fields",
                    "topic": "land",
                    "description": "List fields.",
                    "parameters": [{"name": "limit", "type": "integer", "description": "most", "minimum": 1}],
                    "returns": "FieldList",
                }
            ],
        }
    )
    code = TopicCode(docstring="Land.", bodies=[Body(tool="list_fields", body='return {"all": []}')])
    text = write_topic(catalogue, "land", code, {"list_fields": ToolTables(tool="list_fields")})
    assert "import Database, Field, TypedDict, tool" in text
    assert "class FieldRecord(TypedDict)" in text
    assert "list[FieldRecord]" in text
