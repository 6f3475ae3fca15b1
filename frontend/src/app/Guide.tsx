import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { clientsQuery } from "@/api/clients";
import { useDatabases } from "@/api/databases";
import { historyQuery, useDomains } from "@/api/domains";
import type { Database } from "@/api/types";
import { DatabaseForm, StateNote } from "@/features/databases";
import { AddClient, Copied, psqlLine } from "@/features/domain";
import { DomainForm } from "@/features/domain/DomainForm";
import { useLive, usePool } from "@/stream/hooks";
import { isTrouble } from "@/ui/health";
import { Drawer } from "@/ui/layers";
import { Panel } from "@/ui/parts";
import { done, nextStep, type Step } from "./firstRun";

const LATELY = { lastMs: 24 * 3_600_000 } as const;

/** From an empty service to an application's first request, in four steps. Each is ticked from what is there. */
export function Guide({ onClose }: { onClose: () => void }) {
  const { data: databases = [], isPending: askingDatabases } = useDatabases();
  const { data: domains = [], isPending: askingDomains } = useDomains();
  const domain = domains[0];
  const { clients, endpoint, asking: askingClients } = useClients(domain?.name);
  const answered = useAnswered(domain?.name);
  const [open, setOpen] = useState<Step | null>(null);
  const close = () => setOpen(null);
  const [known, setKnown] = useState(false);
  if (!known) {
    if (askingDatabases || askingDomains || askingClients) return null; // nothing is offered that may be there already
    setKnown(true); // the guide stays from now on: a form that makes a domain is open while the domain's clients are asked for
  }
  const ticks = done({ databases, domains, clients, answered });
  const next = nextStep(ticks);
  const button = (step: Step, text: string) => (
    <button type="button" className={`btn ${next === step ? "pri" : ""}`} onClick={() => setOpen(step)}>
      {text}
    </button>
  );
  return (
    <Panel
      title="From here to a first request"
      className="first-run"
      aside={
        <button type="button" className="btn small" onClick={onClose}>
          {next === null ? "Done" : "Close the guide"}
        </button>
      }
    >
      <ol>
        <StepItem title="A database" done={ticks.database} current={next === "database"}>
          {ticks.database ? (
            <Reached databases={databases} />
          ) : (
            <>
              <p className="muted">
                A PostgreSQL database, and the most connections that Headgate may open to it. It is connected to before
                it is added.
              </p>
              {button("database", "Add a database")}
            </>
          )}
        </StepItem>
        <StepItem title="A domain" done={ticks.domain} current={next === "domain"}>
          {domain ? (
            <p className="muted">
              <Link to="/domains/$domain" params={{ domain: domain.name }}>
                {domain.name}
              </Link>{" "}
              has its pool on {domain.database}.
            </p>
          ) : (
            <>
              <p className="muted">One application's share of the database. It has a pool and a policy of its own.</p>
              {next !== "database" && button("domain", "Make a domain")}
            </>
          )}
        </StepItem>
        <StepItem title="A client" done={ticks.client} current={next === "client"}>
          {clients.length > 0 ? (
            <p className="muted">
              <Names of={clients.map(({ name }) => name)} /> may connect to {domain?.name}.
            </p>
          ) : (
            <>
              <p className="muted">The name and the password that the application connects with.</p>
              {domain && !askingClients && button("client", "Add a client")}
            </>
          )}
        </StepItem>
        <StepItem title="A first request" done={ticks.request} current={next === "request"}>
          {domain && endpoint && clients[0] ? (
            <>
              <Copied label="psql command" text={psqlLine(endpoint, clients[0].name)} />
              {!endpoint.listening && <p className="note warn">The wire port is off, so no client can connect.</p>}
            </>
          ) : (
            <p className="muted">psql, or any PostgreSQL driver, connects to the domain as if it were a database.</p>
          )}
          {domain && clients.length > 0 && (
            <p className={answered ? "note good" : "muted"} role="status" data-testid="first-request">
              {answered
                ? `${domain.name} has answered its first request.`
                : `Waiting for the first request of ${domain.name}. psql asks for the password; try SELECT 1.`}
            </p>
          )}
        </StepItem>
      </ol>
      <Drawer opened={open === "database"} onClose={close} position="right" size={420} title="Add a database">
        <DatabaseForm onDone={close} />
      </Drawer>
      <Drawer opened={open === "domain"} onClose={close} position="right" size={440} title="New domain">
        <DomainForm onCancel={close} onMade={close} />
      </Drawer>
      {domain && <AddClient domain={domain.name} opened={open === "client"} onClose={close} />}
    </Panel>
  );
}

/** Which databases can be reached, and the state of those that cannot. */
function Reached({ databases }: { databases: readonly Database[] }) {
  const live = useLive((s) => s.databases());
  const now = databases.map((database) => ({ ...database, ...live.find(({ name }) => name === database.name) }));
  const isAway = ({ health }: Database) => health.code === "unreachable" && isTrouble(health);
  const reached = now.filter((database) => !isAway(database));
  return (
    <>
      {reached.length > 0 && (
        <p className="muted">
          Headgate can reach <Names of={reached.map(({ name }) => name)} />.
        </p>
      )}
      {now.filter(isAway).map((database) => (
        <StateNote key={database.name} database={database} />
      ))}
    </>
  );
}

type StepProps = { title: string; done: boolean; current: boolean; children: ReactNode };

function StepItem({ title, done, current, children }: StepProps) {
  return (
    <li data-done={done} aria-current={current ? "step" : undefined}>
      <h3>
        {title} {done && <span className="sr-only">, done</span>}
      </h3>
      {children}
    </li>
  );
}

function Names({ of: [first, ...others] }: { of: readonly string[] }) {
  return (
    <>
      <b>{first}</b>
      {others.length > 0 && ` and ${others.length} more`}
    </>
  );
}

function useClients(domain: string | undefined) {
  const { data, isLoading: asking } = useQuery({ ...clientsQuery(domain ?? ""), enabled: domain !== undefined });
  return { clients: data?.items ?? [], endpoint: data?.endpoint, asking };
}

/**
 * Whether the domain has answered a request: in a window of the stream at once, and after a reload by its history. Leases are
 * counted: a pool that opens its connections makes requests of its own.
 */
function useAnswered(domain: string | undefined): boolean {
  const history = useQuery({ ...historyQuery(domain ?? "", LATELY), enabled: domain !== undefined });
  const count = usePool(domain ?? "")?.wait.count ?? 0;
  const [seen, setSeen] = useState<string | null>(null);
  useEffect(() => {
    if (domain && count > 0) setSeen(domain);
  }, [domain, count]);
  const total = history.data?.total;
  const leases = total ? total.arrivals - total.refused : 0;
  return domain !== undefined && (seen === domain || count > 0 || leases > 0);
}
