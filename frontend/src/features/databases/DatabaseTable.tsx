import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDatabases, useDeleteDatabase } from "@/api/databases";
import type { Database } from "@/api/types";
import { count, NONE } from "@/format/format";
import { useLive } from "@/stream/hooks";
import { Confirm, type Question } from "@/ui/Confirm";
import { Empty } from "@/ui/Empty";
import { detailOf } from "@/ui/health";
import { Drawer } from "@/ui/layers";
import { Fault, ManagedChip, Num, StateChip } from "@/ui/parts";
import { useMayChange } from "@/ui/role";
import { DatabaseForm } from "./DatabaseForm";

type Props = { adding: boolean; onAdding: (adding: boolean) => void };

export function DatabaseTable({ adding, onAdding }: Props) {
  const databases = useDatabases();
  const mayChange = useMayChange();
  const live = useLive((s) => s.databases());
  const now = new Map(live.map((d) => [d.name, d]));
  return (
    <>
      {databases.isError && <Fault error={databases.error} retry={() => void databases.refetch()} />}
      <section className="panel scroll-x" aria-label="Databases">
        <table className="cards">
          <thead>
            <tr>
              <th>Database</th>
              <th>State</th>
              <th>Server</th>
              <th className="r">Open</th>
              <th className="r">Budget</th>
              <th className="r">Server allows</th>
              <th className="r">Others use</th>
              <th>Domains</th>
              <th>Policy set</th>
            </tr>
          </thead>
          <tbody>
            {databases.data?.map((d) => {
              const live = { ...d, ...now.get(d.name) };
              return (
                <tr key={d.name}>
                  <td className="title">
                    <Link to="/databases/$database" params={{ database: d.name }} style={{ color: "inherit" }}>
                      <b>{d.name}</b>
                    </Link>
                  </td>
                  <td data-label="State">
                    <StateChip health={live.health} detail={detailOf(live)} />
                  </td>
                  <td data-label="Server" className="muted whole">
                    {d.serverVersion ? `PostgreSQL ${d.serverVersion} · ` : ""}
                    {d.host}:{d.port}/{d.database}
                  </td>
                  <td className="r" data-label="Open">
                    <Num value={live.open} />
                  </td>
                  <td className="r" data-label="Budget">
                    {count(live.budget)}
                  </td>
                  <td className="r" data-label="Server allows">
                    {count(live.serverMaxConnections)}
                  </td>
                  <td className="r" data-label="Others use">
                    {live.othersUse == null ? NONE : <Num value={live.othersUse} />}
                  </td>
                  <td data-label="Domains" className="whole">
                    {d.domains.length === 0 ? <span className="faint">none</span> : d.domains.join(", ")}
                  </td>
                  <td data-label="Policy set" className="muted">
                    {d.revision === 0 ? "none" : `rev ${d.revision}`} <ManagedChip managedBy={d.managedBy} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {!databases.data?.length && <Empty of={databases}>There is no database yet.</Empty>}
      </section>
      <Drawer
        opened={mayChange && adding}
        onClose={() => onAdding(false)}
        position="right"
        size={420}
        title="Add a database"
      >
        <DatabaseForm onDone={() => onAdding(false)} />
      </Drawer>
    </>
  );
}

/** Removes a database after a confirmation, and says why if the service refuses. */
export function RemoveDatabase({ database, onRemoved }: { database: Database; onRemoved: () => void }) {
  const remove = useDeleteDatabase(database.name, onRemoved);
  const open = useLive((s) => s.databases()).find((d) => d.name === database.name)?.open;
  const [asked, setAsked] = useState<Question | null>(null);
  const used = database.domains.length > 0;
  return (
    <div className="stack" style={{ gap: 8 }}>
      {used ? (
        <p className="muted">
          {database.name} cannot be removed while domains use it: {database.domains.join(", ")}.
        </p>
      ) : (
        <p className="muted">
          This closes Headgate's connections and removes the database from Headgate. The server keeps its data.
        </p>
      )}
      <p>
        <button
          type="button"
          className="btn danger"
          disabled={used || remove.isPending}
          onClick={() => {
            remove.reset();
            setAsked(beforeRemoval(database.name, open));
          }}
        >
          Remove {database.name}…
        </button>
      </p>
      <Confirm
        question={asked}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsked(null)}
      />
    </div>
  );
}

/** @param open connections; undefined if the stream has not told */
function beforeRemoval(name: string, open: number | undefined): Question {
  return {
    title: `Remove ${name}?`,
    streamed: true,
    lines: [
      `Headgate closes its ${open === undefined ? "" : `${count(open)} `}open connections and forgets the address, the password and the policy set.`,
      "The server keeps its data.",
    ],
    undo: "This cannot be undone: to have it again, add it with its password.",
    action: `Remove ${name}`,
    danger: true,
    typed: name,
  };
}
