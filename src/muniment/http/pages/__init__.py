"""The review page: what waits, what is remembered, what an agent would be handed, and what became of it.

- Server-rendered, and whole without JavaScript; scripts add keys and spare reloads.
- Everything that is shown of memory is data: escaped, its invisible characters spelled out, markdown sanitised.
- Nothing is loaded from elsewhere; the style and script libraries are vendored and pinned (`static/vendored.json`).
- Every view does its work by verbs of `Memory`, as whoever signed in, and so is refused as they are (`E-ONEGATE`).
"""

from muniment.http.pages.mount import mount_pages as mount_pages
from muniment.http.pages.seats import PageSettings as PageSettings
