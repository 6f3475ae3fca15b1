-- Of an alarm of the service: the domains that it stands on, where it does not concern all. Those of earlier alarms are not known.
alter table alarm add column domains text[] not null default '{}';
