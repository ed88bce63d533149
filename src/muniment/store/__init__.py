"""Where tenants' memories live: one port (`ports.store`), several adapters, one acceptance suite.

- `memory` keeps everything in the process; `sqlite` keeps it in one file, durable before it is acknowledged.
- Databases share `tables`, which reads and writes one tenant's tables in statements that each adapter speaks.
- What all share is pure: `sealing` turns events into envelopes and bodies and back, `folded` is the derived state
  that a fresh fold of a ledger gives. An adapter never decides what a row holds; `core.fold` does.
- Adapters do not know each other; which one is used is named in `muniment.wiring` alone.
"""
