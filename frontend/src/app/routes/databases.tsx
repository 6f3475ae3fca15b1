import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useDatabases } from "@/api/databases";
import { DatabaseForm, DatabaseTable, ReachableChip, RemoveDatabase } from "@/features/databases";
import { LongRequests, MemoryTable } from "@/features/memory";
import { BudgetBars, DomainTable, Multiples } from "@/features/overview";
import { forgetDraft, PolicyEditor } from "@/features/policies";
import { useLive, useRows } from "@/stream/hooks";
import { Empty } from "@/ui/Empty";
import { Drawer } from "@/ui/layers";
import { Fault, ManagedChip, Panel } from "@/ui/parts";
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

export function DatabaseRoute() {
  const { database: name } = databaseApi.useParams();
  const navigate = useNavigate();
  usePageTitle(name);
  const stored = useDatabases();
  const live = useLive((s) => s.databases());
  const pools = useRows().filter((p) => p.database === name);
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
  return (
    <>
      <div className="row wrap">
        <h1>{name}</h1>
        <span className="muted">
          {database.user} at {database.host}:{database.port}/{database.database}
        </span>
        <span className="live-data">
          <ReachableChip reachable={now.reachable} reason={now.unreachableReason} />
        </span>
        <ManagedChip managedBy={database.managedBy} />
        <span className="grow" />
        <Changes>
          <button type="button" className="btn" onClick={() => setEditing(true)}>
            Edit
          </button>
        </Changes>
      </div>
      {!now.reachable && now.unreachableReason && <p className="note bad">{now.unreachableReason}</p>}
      <BudgetBars databases={[now]} pools={pools} />
      {pools.length > 0 && <DomainTable pools={pools} />}
      <div className="policy-cols">
        <div className="stack">
          {pools.length > 0 && <Multiples pools={pools} />}
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
