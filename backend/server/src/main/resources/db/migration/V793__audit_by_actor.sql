-- What somebody did who does little is found without reading what all others did.
create index audit_by_actor on audit (actor, id desc);
