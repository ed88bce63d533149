-- The planner keeps samples of columns that it analyses: what is said, asked or noted is in none, so that it can be erased.
ALTER TABLE content ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE content ALTER COLUMN salt SET STATISTICS 0;
ALTER TABLE index_tail ALTER COLUMN entry SET STATISTICS 0;
ALTER TABLE index_block ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE index_vector ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE retrieval ALTER COLUMN record SET STATISTICS 0;
ALTER TABLE note ALTER COLUMN text SET STATISTICS 0;
