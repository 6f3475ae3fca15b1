-- What was measured, in chunks of 60 periods. A series is one life of a domain on one node: a domain that is deleted and created
-- again under its name begins another.
create table history_series (
    id         integer generated always as identity primary key,
    node       text        not null,
    domain     text        not null,
    created_at timestamptz not null, -- the domain's
    unique (domain, created_at, node)
);

create table history_chunk (
    series     integer     not null references history_series (id),
    resolution integer     not null, -- the length of a period in seconds: 1, 10, 60, 600
    start      timestamptz not null,
    bytes      integer     not null, -- of the whole row, about; what the limit on disk counts
    body       bytea       not null,
    primary key (series, resolution, start)
);
alter table history_chunk alter column body set storage external; -- it is deflated already
create index history_chunk_by_age on history_chunk (resolution, start) include (bytes);

-- The chunk under way of each series and resolution, rewritten every few seconds. Apart from the others, whose table only grows
-- and is pruned.
create table history_open (
    series     integer     not null references history_series (id),
    resolution integer     not null,
    start      timestamptz not null,
    body       bytea       not null,
    primary key (series, resolution)
);
alter table history_open alter column body set storage external;

-- From when on each resolution is kept. What was before is deleted.
create table history_kept (
    resolution integer primary key,
    since      timestamptz not null
);
