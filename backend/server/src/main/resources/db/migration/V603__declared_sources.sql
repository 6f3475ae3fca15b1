-- Whether the owner of the set in force goes by a source that was declared, or by the name of a file. Of sets that were
-- applied before, nobody knows: they count as applied under a file's name until they are applied again.
alter table policy_head add column source_declared boolean not null default false;
