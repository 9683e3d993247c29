"""temporary"""
from runtime.harness.users.none import *
import runtime.harness.users.none as n
def choose_user(spec):
    for name in dir(n):
        o=getattr(n,name)
        if isinstance(o,type) and hasattr(o,'meet') and o.__module__==n.__name__: return o()
