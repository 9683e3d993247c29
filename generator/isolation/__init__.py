"""Run a function of ours over code that has not proven itself yet, in a child process that can do no harm.

`prove` starts a child (`prove`), which has the kernel keep it from writing (`kernel`), limits itself (`limits`),
imports the function, puts up a fence (`fence`) and calls it (`child`); what the child says at its end is the result or
the error of `prove` (`answer`).

What holds domain code back is its syntax rules and its budget (`runtime.domain`). The child is the second lock: it
shows on the machine of whoever builds a domain what those let through, and bounds what that can cost.
"""
