-- What a claim replaces is looked up by its event, which had no index.

CREATE INDEX link_by_event ON link (tenant, seq);
