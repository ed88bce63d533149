"""Exit codes that are the command line's own; those of errors stand with the errors.

>>> dict((code, meaning) for code, meaning, _ in CODES)[64]
'usage'
"""

from __future__ import annotations

DONE = 0
WRONG = 1
WAITING = 6
USAGE = 64
FAULT = 70
INTERRUPTED = 130
BROKEN_PIPE = 141

CODES = (
    (DONE, "done", "the command did what it says; an empty answer is an answer"),
    (WRONG, "wrong", "`verify`, `doctor` or `mif` looked and found something wrong"),
    (
        WAITING,
        "waiting",
        "something waits for a person: a decision, a change that `--accept all` set aside, a `yes`",
    ),
    (USAGE, "usage", "the command line itself is wrong: an unknown command, option or value"),
    (FAULT, "fault", "a fault of Muniment's own; one line says how to report it"),
    (INTERRUPTED, "interrupted", "stopped by Ctrl-C; nothing half done is left"),
    (BROKEN_PIPE, "broken_pipe", "whoever read the output went away"),
)
