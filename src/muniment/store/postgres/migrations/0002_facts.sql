-- The facts of claim versions, for joins: numbers that stand for their terms (keyed digests, 63 bits), and the columns
-- of `version` by which most facts that may not serve are left out without a look at it. Derived, as `version` is.
-- The second index has every column, so that a join reads one tree whatever end is bound.

CREATE TABLE fact (
    tenant bigint NOT NULL,
    predicate bigint NOT NULL,
    subject bigint NOT NULL,
    object bigint NOT NULL,
    class bigint NOT NULL,
    seq bigint NOT NULL,
    standing bigint NOT NULL,
    marks bigint NOT NULL,
    starts bigint,
    ends bigint,
    verified bigint,
    revision bigint NOT NULL,
    until_revision bigint,
    PRIMARY KEY (tenant, predicate, subject, object, class, seq),
    FOREIGN KEY (tenant, class) REFERENCES class (tenant, number)
);

CREATE INDEX fact_by_object ON fact (
    tenant, predicate, object, subject, class, seq,
    standing, marks, starts, ends, verified, revision, until_revision
);

CREATE INDEX fact_by_event ON fact (tenant, seq);
