import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { clientsQuery, useRemoveClient } from "@/api/clients";
import { useDomain } from "@/api/domains";
import type { ClientsList, WireClient } from "@/api/types";
import { stamp } from "@/format/format";
import { Confirm, type Question } from "@/ui/Confirm";
import { loadCode } from "@/ui/loadCode";
import { Fault, Num, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Changes } from "@/ui/role";
import { AddClient } from "./AddClient";
import { address, connectedOf, servedAs } from "./clientWords";
import { questionBeforeRemoval } from "./questions";

/** Loaded when it is first opened. */
const WireSettings = lazy(() =>
  loadCode(() => import("./WireSettings")).then(({ WireSettings }) => ({ default: WireSettings })),
);

/** The clients of this domain on the wire port, and how many connections each has open. */
export function Clients({ domain }: { domain: string }) {
  const clients = useQuery(clientsQuery(domain));
  const about = useDomain(domain);
  const [adding, setAdding] = useState(false);
  const [changing, setChanging] = useState<boolean>();
  const { data } = clients;
  return (
    <Panel
      title={
        <>
          Clients{" "}
          {about && data && (
            <span className="muted" style={{ fontWeight: 400, marginLeft: 8 }}>
              {servedAs(about.wire, data.items)}
            </span>
          )}
        </>
      }
      aside={
        <Changes>
          <span className="row" style={{ gap: 8 }}>
            {about && (
              <button type="button" className="btn small" onClick={() => setChanging(true)}>
                Settings…
              </button>
            )}
            <button type="button" className="btn small" onClick={() => setAdding(true)}>
              Add a client
            </button>
          </span>
        </Changes>
      }
    >
      {clients.isError && <Fault error={clients.error} retry={() => void clients.refetch()} />}
      {data && <Listed domain={domain} list={data} />}
      <AddClient domain={domain} opened={adding} onClose={() => setAdding(false)} />
      {about && changing !== undefined && (
        <Suspense fallback={null}>
          <WireSettings
            domain={about}
            connected={connectedOf(data?.items ?? [])}
            opened={changing}
            onClose={() => setChanging(false)}
          />
        </Suspense>
      )}
    </Panel>
  );
}

function Listed({ domain, list: { items, endpoint } }: { domain: string; list: Omit<ClientsList, "nextCursor"> }) {
  return (
    <>
      {items.length > 0 && (
        <table className="cards">
          <thead>
            <tr>
              <th>Client</th>
              <th>Created</th>
              <th className="r">Connected</th>
              <th className="r">
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((client) => (
              <ClientRow key={client.name} domain={domain} client={client} />
            ))}
          </tbody>
        </table>
      )}
      {items.length === 0 ? (
        <p className="empty">
          No application uses this pool through the wire port yet. Add a client for each application, then connect to{" "}
          <code className="mono connect">{address(endpoint)}</code> with any PostgreSQL driver and the client's name as
          the user.
        </p>
      ) : (
        <p className="pad muted small">
          Clients connect to <code className="mono connect">{address(endpoint)}</code> with any PostgreSQL driver.
        </p>
      )}
      {!endpoint.listening && (
        <p className="pad">
          <span className="chip warn">The wire port is off, so no client can connect.</span>
        </p>
      )}
    </>
  );
}

function ClientRow({ domain, client }: { domain: string; client: WireClient }) {
  const zone = useZone();
  const remove = useRemoveClient(domain);
  const [asked, setAsked] = useState<Question | null>(null);
  return (
    <tr>
      <td className="mono title">{client.name}</td>
      <td data-label="Created" className="whole">
        <span>
          {stamp(client.createdAt, zone)} <span className="muted">by {client.createdBy}</span>
        </span>
      </td>
      <td data-label="Connected" className="r whole">
        <Num value={client.connected} />
      </td>
      <td className="r whole">
        <Changes>
          <button
            type="button"
            className="btn small"
            aria-label={`Remove ${client.name}…`}
            onClick={() => {
              remove.reset();
              setAsked(questionBeforeRemoval(domain, client));
            }}
          >
            Remove…
          </button>
        </Changes>
        <Confirm
          question={asked}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(client.name, { onSuccess: () => setAsked(null) })}
          onClose={() => setAsked(null)}
        />
      </td>
    </tr>
  );
}
