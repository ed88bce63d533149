-- The facts of claim versions, for joins: numbers that stand for their terms (keyed digests, 63 bits), and the columns
-- of `version` by which most facts that may not serve are left out without a look at it. Derived, as `version` is.
-- The second index has every column, so that a join reads one tree whatever end is bound.

CREATE TABLE fact (
    tenant INTEGER NOT NULL,
    predicate INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    object INTEGER NOT NULL,
    class INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    standing INTEGER NOT NULL,
    marks INTEGER NOT NULL,
    starts INTEGER,
    ends INTEGER,
    verified INTEGER,
    revision INTEGER NOT NULL,
    until_revision INTEGER,
    PRIMARY KEY (tenant, predicate, subject, object, class, seq),
    FOREIGN KEY (tenant, class) REFERENCES class (tenant, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX fact_by_object ON fact (
    tenant, predicate, object, subject, class, seq,
    standing, marks, starts, ends, verified, revision, until_revision
);

CREATE INDEX fact_by_event ON fact (tenant, seq);
