"""Run a function of ours over code that has not proven itself yet, in a child process with limits (`process`)."""
