-- The message of an alarm once it has ended.
alter table alarm add column past text not null default '';
update alarm set past = message;
