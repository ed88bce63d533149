"""One module a foreign format: how it is told, and what its records say."""
