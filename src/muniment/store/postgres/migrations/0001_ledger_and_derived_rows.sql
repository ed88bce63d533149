-- The ledger (tenant, class, event, content, subject, erased) and what is folded from it (version, lookup_key, link,
-- doc, class_head, index_*). The tenant comes first in every key. Text that somebody wrote stands in `content` and
-- `class` alone; everything else is identifiers, digests, numbers and words of the vocabulary.
-- A tenant's number is a digest of its name, not of a sequence, and there is no trigger and no key over tenants: the
-- tables distribute by it as they are (`tenant` by `id`, the others by `tenant`).

CREATE TABLE tenant (
    id bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    key bytea NOT NULL
);

CREATE TABLE class (
    tenant bigint NOT NULL REFERENCES tenant (id),
    number bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    scope_kind text COLLATE "C" NOT NULL,
    scope_id text COLLATE "C" NOT NULL,
    audience text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, number),
    UNIQUE (tenant, id)
);

CREATE TABLE event (
    tenant bigint NOT NULL REFERENCES tenant (id),
    seq bigint NOT NULL CHECK (seq > 0),
    revision bigint NOT NULL CHECK (revision > 0),
    at text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    subjects text COLLATE "C" NOT NULL,
    class bigint,
    commitment bytea NOT NULL,
    previous bytea NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (tenant, seq),
    FOREIGN KEY (tenant, class) REFERENCES class (tenant, number)
);

CREATE TABLE content (
    tenant bigint NOT NULL,
    seq bigint NOT NULL,
    salt bytea NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, seq),
    FOREIGN KEY (tenant, seq) REFERENCES event (tenant, seq)
);

CREATE TABLE subject (
    tenant bigint NOT NULL,
    claim_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (tenant, claim_id, seq)
);

CREATE TABLE erased (
    tenant bigint NOT NULL REFERENCES tenant (id),
    claim_id text COLLATE "C" NOT NULL,
    pending bigint NOT NULL,
    PRIMARY KEY (tenant, claim_id)
);

CREATE TABLE version (
    tenant bigint NOT NULL,
    class bigint NOT NULL,
    seq bigint NOT NULL,
    revision bigint NOT NULL,
    claim_id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    review text COLLATE "C" NOT NULL,
    until_revision bigint NOT NULL,
    retired text COLLATE "C" NOT NULL,
    valid_from bigint NOT NULL,
    valid_until bigint NOT NULL,
    expires_at bigint NOT NULL,
    verified_at bigint NOT NULL,
    recorded_at bigint NOT NULL,
    created_at bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    memory_type text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    derivation text COLLATE "C" NOT NULL,
    reading text COLLATE "C" NOT NULL,
    derived_stale text COLLATE "C" NOT NULL,
    allowed text COLLATE "C" NOT NULL,
    prohibited text COLLATE "C" NOT NULL,
    supersedes text COLLATE "C" NOT NULL,
    superseded_by text COLLATE "C" NOT NULL,
    conflicts text COLLATE "C" NOT NULL,
    derived_from text COLLATE "C" NOT NULL,
    length bigint NOT NULL,
    confidence bigint NOT NULL,
    importance bigint NOT NULL,
    keys text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, class, seq),
    FOREIGN KEY (tenant, class) REFERENCES class (tenant, number)
);

CREATE UNIQUE INDEX version_by_event ON version (tenant, seq);

CREATE INDEX version_by_claim ON version (tenant, claim_id, seq);

CREATE TABLE lookup_key (
    tenant bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (tenant, key, seq)
);

CREATE TABLE link (
    tenant bigint NOT NULL,
    to_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (tenant, to_id, kind, seq)
);

CREATE TABLE doc (
    tenant bigint NOT NULL,
    collection text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    revision bigint NOT NULL,
    parent text COLLATE "C" NOT NULL,
    class bigint,
    first_seq bigint NOT NULL,
    PRIMARY KEY (tenant, collection, id)
);

CREATE INDEX doc_by_parent ON doc (tenant, collection, parent);

-- The index (`store.indexing`): rows that wait, segments of merged ones, and what of it changed how often.

CREATE TABLE index_tail (
    tenant bigint NOT NULL,
    family text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    entry bytea NOT NULL,
    PRIMARY KEY (tenant, family, seq)
);

CREATE TABLE index_segment (
    tenant bigint NOT NULL,
    family text COLLATE "C" NOT NULL,
    segment bigint NOT NULL,
    generation bigint NOT NULL,
    level bigint NOT NULL,
    size bigint NOT NULL,
    PRIMARY KEY (tenant, family, segment)
);

CREATE TABLE index_block (
    tenant bigint NOT NULL,
    family text COLLATE "C" NOT NULL,
    segment bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (tenant, family, segment, name)
);

ALTER TABLE index_block ALTER COLUMN data SET STORAGE EXTERNAL; -- columns of numbers: packing them costs more than it saves

CREATE TABLE index_state (
    tenant bigint NOT NULL,
    family text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    PRIMARY KEY (tenant, family)
);

CREATE TABLE index_vector (
    tenant bigint NOT NULL,
    space text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (tenant, seq, space)
);

CREATE TABLE class_head (
    tenant bigint NOT NULL,
    class bigint NOT NULL,
    head bytea NOT NULL,
    count bigint NOT NULL,
    revision bigint NOT NULL,
    PRIMARY KEY (tenant, class)
);
