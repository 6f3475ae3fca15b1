-- A policy set can be put in force for a stated time only: at the end of its probation it stays, or gives way to the former one.
alter table policy_guard add column at_end text not null default 'keep' check (at_end in ('keep', 'restore'));
