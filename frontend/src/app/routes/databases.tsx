import { getRouteApi, useMatchRoute, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useDatabases } from "@/api/databases";
import { BudgetChart, DatabaseForm, DatabaseTable, RemoveDatabase, StateNote } from "@/features/databases";
import { Compare, carried, useBefore } from "@/features/domain";
import { LongRequests, MemoryTable } from "@/features/memory";
import { BudgetBars, DomainTable, Multiples } from "@/features/overview";
import { forgetDraft, PolicyEditor } from "@/features/policies";
import { RangePicker } from "@/range/RangePicker";
import { type Range, rangeOf, searchOf } from "@/range/range";
import { useLive, useRows } from "@/stream/hooks";
import { Empty } from "@/ui/Empty";
import { detailOf } from "@/ui/health";
import { Drawer } from "@/ui/layers";
import { Fault, ManagedChip, Panel, StateChip } from "@/ui/parts";
import { Changes } from "@/ui/role";
import { usePageTitle } from "@/ui/title";

const listApi = getRouteApi("/databases");

export function DatabasesRoute() {
  usePageTitle("Databases");
  const search = listApi.useSearch();
  const navigate = useNavigate();
  const setNew = (on: boolean) => void navigate({ to: "/databases", search: on ? { new: true } : {} });
  return (
    <>
      <div className="row">
        <h1>Databases</h1>
        <span className="grow" />
        <Changes>
          <button type="button" className="btn pri" onClick={() => setNew(true)}>
            Add a database
          </button>
        </Changes>
      </div>
      <DatabaseTable adding={search.new === true} onAdding={setNew} />
      <LongRequests />
      <MemoryTable />
    </>
  );
}

const databaseApi = getRouteApi("/databases/$database");

/** Connections are drawn on top of one another for as many domains. */
const STACKED = 24;

export function DatabaseRoute() {
  const { database: name } = databaseApi.useParams();
  const navigate = useNavigate();
  const isAt = useMatchRoute();
  usePageTitle(name);
  const stored = useDatabases();
  const live = useLive((s) => s.databases());
  const pools = useRows().filter((p) => p.database === name);
  const domains = pools.map((p) => p.domain).join();
  const stacked = useMemo(() => (domains === "" ? [] : domains.split(",")), [domains]);
  const search = databaseApi.useSearch();
  const range = useMemo(() => rangeOf(search), [search]);
  const before = useBefore({ kind: "database", name }, search.compare, range);
  const [editing, setEditing] = useState(false);
  const database = stored.data?.find((d) => d.name === name);
  if (!database)
    return (
      <>
        {stored.isError && <Fault error={stored.error} retry={() => void stored.refetch()} />}
        <Empty of={stored} className="panel">
          There is no database called {name}.
        </Empty>
      </>
    );
  const scope = { kind: "database", name } as const;
  const now = { ...database, ...live.find((d) => d.name === name) };
  const go = (change: Partial<typeof search>, replace = false) =>
    void navigate({
      to: "/databases/$database",
      params: { database: name },
      search: { ...search, ...change },
      replace,
    });
  const onRange = (next: Range) => go({ ...searchOf(next), compare: carried(search.compare, range, next) }); // a step of the browser's history
  const log = search.log === 1;
  const ofNow = range.kind === "live" ? "" : "Now: "; // below the time bar, all is of the range
  return (
    <>
      <div className="row wrap">
        <h1>{name}</h1>
        <span className="muted">
          {database.user} at {database.host}:{database.port}/{database.database}
        </span>
        <span className="live-data">
          {ofNow}
          <StateChip health={now.health} detail={detailOf(now)} />
        </span>
        <ManagedChip managedBy={database.managedBy} />
        <span className="grow" />
        <Changes>
          <button type="button" className="btn" onClick={() => setEditing(true)}>
            Edit
          </button>
        </Changes>
      </div>
      <StateNote database={now} ofNow={ofNow} />
      {pools.length > 0 && (
        <RangePicker
          range={range}
          onRange={onRange}
          compare={
            <Compare
              scope={scope}
              range={range}
              compare={search.compare}
              onCompare={(compare, next) => go({ ...searchOf(next), compare })}
            />
          }
          log={log}
          onLog={(on) => go({ log: on ? 1 : undefined }, true)}
        />
      )}
      {range.kind === "live" && (
        <>
          <BudgetBars databases={[now]} pools={pools} />
          {pools.length > 0 && <DomainTable pools={pools} />}
        </>
      )}
      <div className="policy-cols">
        <div className="stack">
          {stacked.length > 0 && stacked.length <= STACKED && (
            <BudgetChart database={now} domains={stacked} range={range} onRange={onRange} />
          )}
          {stacked.length > STACKED && (
            <p className="muted">
              The open connections of all domains are drawn in one chart for at most {STACKED} domains.
            </p>
          )}
          {pools.length > 0 && <Multiples pools={pools} back={{ range, before, log, onRange }} />}
          {database.domains.length === 0 && (
            <Empty of={stored} className="panel">
              No domain uses this database yet.
            </Empty>
          )}
        </div>
        <div className="stack">
          <p className="muted">This policy set applies to all domains on {name} together.</p>
          <PolicyEditor scope={scope} />
          <Changes>
            <Panel title="Remove">
              <div className="pad">
                <RemoveDatabase
                  database={database}
                  onRemoved={() => {
                    forgetDraft(scope);
                    if (isAt({ to: "/databases/$database", params: { database: name } }))
                      void navigate({ to: "/databases" });
                  }}
                />
              </div>
            </Panel>
          </Changes>
        </div>
      </div>
      <Drawer opened={editing} onClose={() => setEditing(false)} position="right" size={420} title={`Edit ${name}`}>
        <DatabaseForm database={database} onDone={() => setEditing(false)} />
      </Drawer>
    </>
  );
}
