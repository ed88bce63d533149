"""Acme shop."""
