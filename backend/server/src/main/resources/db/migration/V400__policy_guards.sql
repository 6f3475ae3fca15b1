-- Revisions that are on probation: the former one comes back by itself if a bound is passed in time.
create table policy_guard (
    scope    text        not null,
    name     text        not null,
    revision bigint      not null, -- that is watched
    former   bigint      not null, -- that comes back
    armed_at timestamptz not null,
    until    timestamptz not null,
    bounds   json        not null,
    primary key (scope, name),
    foreign key (scope, name) references policy_head (scope, name) on delete cascade
);
