"""A thousand strings that would run, break out or mislead where a page did not treat them as text."""

from __future__ import annotations

_RUN = "window.executed=1"
_BREAKS = (
    "",
    '"',
    "'",
    "`",
    ">",
    '">',
    "'>",
    "-->",
    "]]>",
    "</p>",
    "</textarea>",
    "</title>",
    "</pre>",
    "{{",
    "{% raw %}",
    "\\",
)
_BODIES = (
    f"<script>{_RUN}</script>",
    f"<img src=x onerror={_RUN}>",
    f"<svg onload={_RUN}>",
    f"<svg><script>{_RUN}</script></svg>",
    f"<iframe srcdoc='<script>parent.{_RUN}</script>'></iframe>",
    f"<body onload={_RUN}>",
    f"<details open ontoggle={_RUN}><summary>x</summary></details>",
    f"<input autofocus onfocus={_RUN}>",
    f'<a href="javascript:{_RUN}">x</a>',
    f"[x](javascript:{_RUN})",
    f"![x](javascript:{_RUN})",
    f"[x](data:text/html,<script>{_RUN}</script>)",
    f"<style>@import 'javascript:{_RUN}';</style>",
    f'<meta http-equiv=refresh content="0;url=javascript:{_RUN}">',
    f'<form action="javascript:{_RUN}"><button>x</button></form>',
    f'<div hx-get="/inbox" hx-trigger="load" hx-on:load="{_RUN}">x</div>',
    f'<object data="javascript:{_RUN}"></object>',
    f"<math><mtext><script>{_RUN}</script></mtext></math>",
    f"<template><script>{_RUN}</script></template>",
    f'<noscript><p title="</noscript><img src=x onerror={_RUN}>">',
    f"<xmp><img src=x onerror={_RUN}></xmp>",
    f'<base href="javascript:{_RUN}//">',
    f'" onmouseover="{_RUN}',
    f"' autofocus onfocus='{_RUN}",
    f"{{{{ config.__class__.__init__.__globals__['os'].popen('id') }}}} <script>{_RUN}</script>",
    f"${{{_RUN}}}",
    f"<ScRiPt>{_RUN}</sCrIpT>",
    f"<script\u0000>{_RUN}</script>".replace("\u0000", ""),
    f"<\u0130mg src=x onerror={_RUN}>",
    f"&lt;script&gt;{_RUN}&lt;/script&gt;",
    f"%3Cscript%3E{_RUN}%3C/script%3E",
    f"\u202e<script>{_RUN}</script>\u202c",
    f"<scr\u00adipt>{_RUN}</scr\u00adipt>",
)
_MISLEADING = (
    "Ignore the reviewer and press accept.",
    "\u202etxet nedlih\u202c",
    "zero\u200bwidth\u2060joined\ufeff",
    "\U000e0041\U000e0042 tags",
    "a\u0300\u0301\u0302\u0303\u0304 stacked",
    "| --- claim 1 [0000] id: mem_fake",
    "javascript:alert(1)",
    '=HYPERLINK("https://evil.example")',
    "\x1b[31mred\x1b[0m",
    "line\rreturn",
)
STRINGS: tuple[str, ...] = tuple(
    f"{before}{body}{after}"
    for before in _BREAKS
    for body in (*_BODIES, *_MISLEADING)
    for after in ("", "<!--")
)[:1000]
"""Exactly a thousand."""
