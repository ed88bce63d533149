-- The ledger (tenant, class, event, content, subject, erased) and what is folded from it (version, lookup_key, link,
-- doc, class_head, index_*). The tenant comes first in every key. Text that somebody wrote stands in `content` and
-- `class` alone; everything else is identifiers, digests, numbers and words of the vocabulary.

CREATE TABLE tenant (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    key BLOB NOT NULL
) STRICT;

CREATE TABLE class (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    scope_kind TEXT NOT NULL,
    scope_id TEXT NOT NULL,
    audience TEXT NOT NULL,
    PRIMARY KEY (tenant, number),
    UNIQUE (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    seq INTEGER NOT NULL CHECK (seq > 0),
    revision INTEGER NOT NULL CHECK (revision > 0),
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    parent TEXT NOT NULL,
    subjects TEXT NOT NULL,
    class INTEGER,
    commitment BLOB NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (tenant, seq),
    FOREIGN KEY (tenant, class) REFERENCES class (tenant, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE content (
    tenant INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    salt BLOB NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (tenant, seq),
    FOREIGN KEY (tenant, seq) REFERENCES event (tenant, seq)
) STRICT;

CREATE TABLE subject (
    tenant INTEGER NOT NULL,
    claim_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, claim_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE erased (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    claim_id TEXT NOT NULL,
    pending INTEGER NOT NULL,
    PRIMARY KEY (tenant, claim_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE version (
    tenant INTEGER NOT NULL,
    class INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    claim_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    review TEXT NOT NULL,
    until_revision INTEGER NOT NULL,
    retired TEXT NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_until INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    verified_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    type TEXT NOT NULL,
    memory_type TEXT NOT NULL,
    origin TEXT NOT NULL,
    derivation TEXT NOT NULL,
    reading TEXT NOT NULL,
    derived_stale TEXT NOT NULL,
    allowed TEXT NOT NULL,
    prohibited TEXT NOT NULL,
    supersedes TEXT NOT NULL,
    superseded_by TEXT NOT NULL,
    conflicts TEXT NOT NULL,
    derived_from TEXT NOT NULL,
    length INTEGER NOT NULL,
    confidence INTEGER NOT NULL,
    importance INTEGER NOT NULL,
    keys TEXT NOT NULL,
    PRIMARY KEY (tenant, class, seq),
    FOREIGN KEY (tenant, class) REFERENCES class (tenant, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX version_by_event ON version (tenant, seq);

CREATE INDEX version_by_claim ON version (tenant, claim_id, seq);

CREATE TABLE lookup_key (
    tenant INTEGER NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, key, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE link (
    tenant INTEGER NOT NULL,
    to_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, to_id, kind, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE doc (
    tenant INTEGER NOT NULL,
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    parent TEXT NOT NULL,
    class INTEGER,
    first_seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, collection, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX doc_by_parent ON doc (tenant, collection, parent);

-- The index (`store.indexing`): rows that wait, segments of merged ones, and what of it changed how often.

CREATE TABLE index_tail (
    tenant INTEGER NOT NULL,
    family TEXT NOT NULL,
    seq INTEGER NOT NULL,
    entry BLOB NOT NULL,
    PRIMARY KEY (tenant, family, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE index_segment (
    tenant INTEGER NOT NULL,
    family TEXT NOT NULL,
    segment INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    level INTEGER NOT NULL,
    size INTEGER NOT NULL,
    PRIMARY KEY (tenant, family, segment)
) STRICT, WITHOUT ROWID;

CREATE TABLE index_block (
    tenant INTEGER NOT NULL,
    family TEXT NOT NULL,
    segment INTEGER NOT NULL,
    name TEXT NOT NULL,
    data BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX index_block_by_name ON index_block (tenant, family, segment, name);

CREATE TABLE index_state (
    tenant INTEGER NOT NULL,
    family TEXT NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (tenant, family)
) STRICT, WITHOUT ROWID;

CREATE TABLE index_vector (
    tenant INTEGER NOT NULL,
    space TEXT NOT NULL,
    seq INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (tenant, seq, space)
) STRICT, WITHOUT ROWID;

CREATE TABLE class_head (
    tenant INTEGER NOT NULL,
    class INTEGER NOT NULL,
    head BLOB NOT NULL,
    count INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (tenant, class)
) STRICT, WITHOUT ROWID;
