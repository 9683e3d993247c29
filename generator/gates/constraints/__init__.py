"""The constraints that a schema declares (`constraints`): each must refuse a row that breaks it, in an `attack`.

Rows to attack from are given as `samples`; what might break a CHECK are its `candidates`. What is UNIQUE is read by
itself, too (`uniques`).
"""
