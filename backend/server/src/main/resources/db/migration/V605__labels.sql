-- Names and values that group domains, as one JSON object of strings.
alter table domain
    add column labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object');
