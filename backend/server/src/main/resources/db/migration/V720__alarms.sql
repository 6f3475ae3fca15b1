-- The alarm log: one row for each time that an alarm was raised, however often its condition came and went meanwhile.
create table alarm (
    id                 uuid        primary key,
    node               text        not null,
    reach              text        not null check (reach in ('domain', 'database', 'service')),
    database           text, -- of the domain, or the database itself
    domain             text,
    code               text        not null,
    message            text        not null, -- the last one
    severity           text        not null, -- the highest one
    since              timestamptz not null,
    last_seen          timestamptz not null,
    clearing           timestamptz, -- when the condition was last seen, while the alarm waits whether it returns
    cleared            timestamptz, -- null while the alarm is open
    cut_off            boolean     not null, -- Headgate ended before the alarm did
    times              integer     not null,
    acknowledged_at    timestamptz,
    acknowledged_by    text,
    acknowledge_reason text,
    silenced_until     timestamptz,
    silenced_by        text,
    silence_reason     text
);

create index alarm_in_order on alarm ((cleared is not null), since desc, id desc);
create index alarm_by_key on alarm (code, reach, database, domain, since desc);
