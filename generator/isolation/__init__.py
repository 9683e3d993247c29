"""Run a function of ours over code that has not proven itself yet, in a child process that can do no harm.

A function is a `job`: it takes and returns a dataclass. `prove` starts a child, which has the kernel keep it from
writing (`kernel`), limits itself (`limits`), finds the job, puts up a fence (`fence`) and runs it (`child`); what the
child says at its end is checked, and is what the job told or its error (`answer`).

What holds domain code back is its syntax rules and its budget (`runtime.domain`). The child is the second lock: it
shows on the machine of whoever builds a domain what those let through, and bounds what that can cost.
"""
