"""One tenant's memory in tables of a database, written once for every database that has them.

- `snapshot` reads, `transaction` writes; `derivation`, `facts` and `blocks` keep what is derived, `held` gives it for
  checking, `log` keeps retrievals; `connection` says what a database must offer, `encoding` how values become columns.
- Which tables there are, the adapters' migrations say (`sqlite/migrations`, `postgres/migrations`): the columns and
  their order are the same.
"""
