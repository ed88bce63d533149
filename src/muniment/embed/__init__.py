"""Embedders: a table that comes as a package, an endpoint, a sentence-transformers model."""
