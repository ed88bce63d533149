"""Muniment over the Model Context Protocol: eight tools, three resources, two prompts, by stdio and HTTP.

- Tools are the calls of `muniment.calls`; none of them decides on memory (`E-APPROVER`).
- Who acts, where and for which uses comes from options, profile or token; a model's arguments only narrow it.
- What a model reads is short, fenced and cited: the packet's text, not the packet as JSON.
- stdout is the wire and carries nothing else (`E-STDIO`).

Needs `muniment[serve]`, which brings the protocol's own library; it is imported where a server is made.
"""
