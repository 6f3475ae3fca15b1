-- What was measured on each connection, in chunks of up to 60 periods of all connections of a domain. Kept for a day.
create table history_connections (
    series     integer     not null references history_series (id),
    resolution integer     not null, -- the length of a period in seconds: 1, 10, 60
    start      timestamptz not null,
    finish     timestamptz not null, -- not included
    bytes      integer     not null, -- of the whole row, about; what the limit on disk counts
    body       bytea       not null,
    primary key (series, resolution, start)
);
alter table history_connections alter column body set storage external; -- it is deflated already
create index history_connections_by_age on history_connections (resolution, finish) include (bytes);
