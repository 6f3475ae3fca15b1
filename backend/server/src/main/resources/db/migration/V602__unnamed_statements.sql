-- What becomes of statements without a name: kept prepared on the connection, or sent as they come.
alter table domain
    add column wire_unnamed_statements text not null default 'auto' check (wire_unnamed_statements in ('auto', 'off'));
