-- The decision log. What people filter by is a column; the decision itself, as the API shows it, is the body.
-- An id is unique per run of one node's engine, so the time of the first decision is part of the key.
create table decision (
    id        text        not null,
    time      timestamptz not null,
    last_time timestamptz not null,
    count     bigint      not null,
    domain    text,
    database  text        not null,
    kind      text        not null,
    policy    text        not null,
    body      jsonb       not null,
    primary key (time, id)
);

create index decision_by_domain on decision (domain, time desc, id desc);
