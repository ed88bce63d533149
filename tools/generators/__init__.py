"""What writes the generated parts of the documentation: one module a subject.

Each module has `GENERATORS`, a mapping of block name to a function that takes the project's root
and returns markdown. `tools.gendocs` finds the modules by itself.
"""
