-- What requests for SQL over HTTP may do and take. Zero is no limit.
alter table domain
    add column sql_access text not null default 'write' check (sql_access in ('write', 'read', 'off')),
    add column sql_max_rows bigint not null default 0 check (sql_max_rows >= 0),
    add column sql_max_bytes bigint not null default 0 check (sql_max_bytes >= 0),
    add column sql_timeout_ms int not null default 0 check (sql_timeout_ms >= 0);
