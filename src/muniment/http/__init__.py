"""The HTTP server: the verbs that have a route, for bearers of tokens, and the pages and tools that are mounted beside.

- Routes come from one table (`calls.perform.CALLS`); what a verb refuses, a route refuses.
- Who acts comes with the token, which stands in the `Authorization` header and nowhere else.
- Every error is a problem body (RFC 9457) with its findings.
- Needs `muniment[serve]`; nothing here is imported before a server is wanted.
"""
