-- What becomes of a statement whose effect belongs to a connection, where clients share connections.
alter table domain
    add column wire_session_state text not null default 'pin' check (wire_session_state in ('pin', 'refuse'));
