-- A domain's shadow set: asked beside the live one, deciding nothing. At most one each.
create table policy_shadow (
    scope      text        not null,
    name       text        not null,
    created_at timestamptz not null,
    actor      text        not null,
    policy_set json        not null,
    primary key (scope, name),
    foreign key (scope, name) references policy_head (scope, name) on delete cascade
);
