"""The index: what recall searches, derived from the ledger and read with NumPy (DESIGN section 5).

- It is made of immutable segments and a tail; rows are claim versions, numbered by class within a segment.
- Statistics come from the rows that are eligible for a question, never from the whole index.
- Scores are integers, so that every store, process and layout of segments gives the same bits.
- Words are kept as keyed digests; no block can be read as text.

Where blocks rest is the stores' matter (`Blocks`); which rows may serve is `core.decide`'s.
"""
