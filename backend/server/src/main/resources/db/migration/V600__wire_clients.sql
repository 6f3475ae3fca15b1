-- Who may use a domain through the wire port, and how. A deleted domain takes its clients with it.
create table wire_client (
    domain     text        not null references domain (name) on delete cascade,
    name       text        not null,
    verifier   text        not null, -- SCRAM-SHA-256: proves a password, and is none
    created_at timestamptz not null default now(),
    created_by text        not null,
    primary key (domain, name)
);

alter table domain
    add column wire_mode        text    not null default 'transaction' check (wire_mode in ('transaction', 'session', 'statement')),
    add column wire_max_clients integer not null default 1000 check (wire_max_clients > 0);
