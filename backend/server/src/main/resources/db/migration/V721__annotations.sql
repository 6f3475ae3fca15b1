-- What people or their tools mark on the charts: a deploy, a failover, a note.
create table annotation (
    id         uuid        primary key,
    time       timestamptz not null,
    kind       text        not null check (kind in ('deploy', 'failover', 'note')),
    text       text        not null,
    tags       text[]      not null,
    database   text, -- at most one of database and domain; neither: all
    domain     text,
    author     text        not null,
    created_at timestamptz not null
);

create index annotation_in_order on annotation (time desc, id desc);
