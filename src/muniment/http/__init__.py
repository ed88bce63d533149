"""The HTTP interface: routes by verb, and the review page."""
