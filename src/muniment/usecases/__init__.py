"""One verb, one file: the shell around the core. A use case reads through ports, asks the core, and writes once."""
