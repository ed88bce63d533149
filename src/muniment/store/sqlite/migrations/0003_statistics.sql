-- How many rows each key leaves, for SQLite's planner: the tenant comes first in every key and leaves nearly all of them.
-- Without statistics SQLite takes a first column to leave ten rows, and looks through a tenant's whole table where an
-- index on its next column lies ready. The numbers are fixed, so that every store has the same plans at every size.
-- A table's own order counts as a tenth better: it is read without a second look-up.
-- What a claim replaces is looked up by its event, which had no index.

CREATE INDEX link_by_event ON link (tenant, seq);

ANALYZE migration;

DELETE FROM sqlite_stat1;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('class', 'class', '5000 4500 1'),
    ('class', 'sqlite_autoindex_class_2', '5000 5000 1'),
    ('event', 'event', '1000000 900000 1'),
    ('content', 'sqlite_autoindex_content_1', '1000000 1000000 1'),
    ('subject', 'subject', '1000000 900000 4 1'),
    ('erased', 'erased', '1000 900 1'),
    ('version', 'version', '1000000 900000 200 1'),
    ('version', 'version_by_event', '1000000 1000000 1'),
    ('version', 'version_by_claim', '1000000 1000000 2 1'),
    ('lookup_key', 'lookup_key', '1000000 900000 4 1'),
    ('link', 'link', '1000000 900000 4 4 1'),
    ('link', 'link_by_event', '1000000 1000000 4'),
    ('doc', 'doc', '1000000 900000 100000 1'),
    ('doc', 'doc_by_parent', '1000000 1000000 100000 10'),
    ('class_head', 'class_head', '5000 4500 1'),
    ('index_tail', 'index_tail', '20000 20000 10000 1'),
    ('index_segment', 'index_segment', '100 100 50 1'),
    ('index_block', 'index_block_by_name', '100000 100000 50000 1000 1'),
    ('index_state', 'index_state', '10 10 1'),
    ('index_vector', 'index_vector', '1000000 1000000 1 1'),
    ('fact', 'fact', '1000000 900000 100000 100 1 1 1'),
    ('fact', 'fact_by_object', '1000000 1000000 100000 100 1 1 1 1 1 1 1 1 1 1'),
    ('fact', 'fact_by_event', '1000000 1000000 4');

ANALYZE sqlite_schema;
