-- What lists are ordered and filtered by. Names are compared byte by byte, so that their order is the same on every server.
create index domain_in_order on domain (name collate "C");
create index decision_by_database on decision (database, time desc, id desc);
create index audit_by_time on audit (time);
create index audit_by_target on audit (target, id desc);
create index audit_by_action on audit (action, id desc);
