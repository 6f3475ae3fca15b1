-- What each database's server gives. A row is in force until the next one of its database.
create table server_log (
    database   text        not null references target (name) on delete cascade,
    time       timestamptz not null,
    address    text        not null, -- host and port that Headgate connected to
    gives      integer     not null, -- connections that ordinary users may have
    others_use integer     not null, -- of those, not by Headgate
    primary key (database, time)
);
