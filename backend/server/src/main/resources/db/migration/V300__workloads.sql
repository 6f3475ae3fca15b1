-- The loads as operators left them. A row also says that the demo made the load's domain once: it is not made again after
-- someone has deleted it.
create table workload (
    name            text primary key,
    running         boolean          not null,
    rate_per_second double precision not null,
    varies          boolean          not null
);
