"""A verb's call as JSON: what is given, what comes back, and what does it; HTTP routes and MCP tools are made from it.

- `requests` and `answers` say the shapes, `perform` does the work by the verbs of `Memory` alone (`E-ONEGATE`).
- A caller can narrow scopes, uses and budget, and never widen them.
- Needs `muniment[serve]`, which brings pydantic.
"""
