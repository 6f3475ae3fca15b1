-- Entries of the audit are never rewritten. They are deleted by its retention alone, which says so in its transaction.
create function refuse_deleting() returns trigger language plpgsql as $$
begin
    if coalesce(current_setting('headgate.retention', true), '') <> 'audit' then
        raise exception '% of % is refused: its rows are deleted when they are old, and not otherwise', tg_op, tg_table_name;
    end if;
    return old;
end $$;
drop trigger append_only on audit;
create trigger append_only before update on audit for each row execute function refuse_rewriting();
create trigger kept before delete on audit for each row execute function refuse_deleting();
