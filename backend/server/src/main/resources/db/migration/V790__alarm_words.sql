-- What is known of an alarm beside its sentence; and its highest severity, for severity becomes that of now while the alarm is open.
alter table alarm add column detail text not null default '';
alter table alarm add column worst text not null default 'warning';
update alarm set worst = severity;
