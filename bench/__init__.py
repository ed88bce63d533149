"""Measurements and fault harnesses. Each module is a command: `python -m bench.NAME --json`.

- A measurement prints one JSON object (or a table), with the machine and the time of the run.
- Whatever is drawn at random is drawn from a seed that is printed with the result.
- Progress goes to standard error, the result alone to standard output.
"""
