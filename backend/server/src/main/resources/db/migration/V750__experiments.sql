-- Runs of experiments, with what they found.
create table experiment_run (
    id         bigint      generated always as identity primary key,
    experiment text        not null,
    form       text        not null check (form in ('quick', 'full')),
    run_values jsonb       not null,
    seed       bigint      not null,
    state      text        not null check (state in ('running', 'done', 'failed', 'cancelled')),
    started_at timestamptz not null,
    ended_at   timestamptz,
    started_by text        not null,
    set_up     jsonb       not null,
    report     jsonb,
    problem    text
);

create index experiment_run_of_experiment on experiment_run (experiment, id desc);
