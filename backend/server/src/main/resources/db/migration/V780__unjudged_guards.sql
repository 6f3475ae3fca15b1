-- The end of a probation that could not judge its revision: what it could not judge, and by choice the former revision comes back.
alter table policy_revision add column unjudged text;
alter table policy_guard drop constraint policy_guard_at_end_check;
alter table policy_guard add constraint policy_guard_at_end_check check (at_end in ('keep', 'restore', 'restore-unjudged'));
