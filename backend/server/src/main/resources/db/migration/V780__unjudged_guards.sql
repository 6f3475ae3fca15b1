-- What a probation that ended could not judge, as a sentence. By choice the former revision comes back then.
create table policy_unjudged (
    scope    text   not null,
    name     text   not null,
    revision bigint not null,
    unjudged text   not null,
    primary key (scope, name, revision),
    foreign key (scope, name, revision) references policy_revision (scope, name, revision) on delete cascade
);

alter table policy_guard drop constraint policy_guard_at_end_check;
alter table policy_guard add constraint policy_guard_at_end_check check (at_end in ('keep', 'restore', 'restore-unjudged'));
