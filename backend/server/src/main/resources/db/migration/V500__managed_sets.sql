-- Who owns the set in force, where it is not edited by hand ("files: headgate.yaml"). Of the head, not of a revision: a set
-- changes hands without a new revision.
alter table policy_head add column managed_by text;
