-- What Headgate must know again after a restart. Every row says what it is about in its key; nothing is looked up by a number.

create table target (
    name       text primary key,
    host       text        not null,
    port       integer     not null,
    database   text        not null,
    "user"     text        not null,
    password   bytea       not null, -- AES-256-GCM under the key in the data folder, bound to this row's name
    ssl_mode   text        not null,
    budget     integer     not null,
    created_at timestamptz not null default now()
);

create table domain (
    name        text primary key,
    target      text        not null references target (name),
    description text        not null,
    created_at  timestamptz not null default now()
);

-- One row per domain or database: the revision in force. Writers of policies lock it.
create table policy_head (
    scope      text    not null check (scope in ('domain', 'database')),
    name       text    not null,
    target     text    not null references target (name),
    revision   bigint  not null,
    guaranteed integer not null, -- connections that the revision in force guarantees to the domain
    primary key (scope, name)
);

create table policy_revision (
    scope         text        not null,
    name          text        not null,
    revision      bigint      not null,
    created_at    timestamptz not null,
    actor         text        not null,
    comment       text,
    restored_from bigint,
    policy_set    json        not null,
    primary key (scope, name, revision),
    foreign key (scope, name) references policy_head (scope, name) on delete cascade
);

create table audit (
    id     bigint generated always as identity primary key,
    time   timestamptz not null default now(),
    node   text        not null,
    actor  text        not null,
    action text        not null,
    target text        not null,
    before json,
    after  json,
    remote text        not null
);

-- History is added to and never rewritten. (A deleted domain takes its revisions with it; the audit keeps them.)
create function refuse_rewriting() returns trigger language plpgsql as $$
begin
    raise exception '% of % is refused: its rows are only ever added', tg_op, tg_table_name;
end $$;
create trigger append_only before update on policy_revision for each row execute function refuse_rewriting();
create trigger append_only before update or delete on audit for each row execute function refuse_rewriting();
