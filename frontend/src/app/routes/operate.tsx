import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useMemo } from "react";
import { Clients, Connections, DomainHeader } from "@/features/domain";
import {
  ClosedConnections,
  Connected,
  ConnectionReportView,
  DomainTabs,
  Leases,
  LogLines,
  Refusals,
  Waiters,
} from "@/features/operate";
import { pastOf, rangeOf } from "@/range/range";
import { useKnown } from "@/stream/hooks";
import { loadCode } from "@/ui/loadCode";
import { usePageTitle } from "@/ui/title";

/** What stands above every page of a domain; instead of the page where there is no such domain. */
function OfDomain({ domain, title, children }: { domain: string; title: string; children: ReactNode }) {
  usePageTitle(title);
  const known = useKnown(domain);
  if (!known)
    return (
      <div className="panel empty">
        <h1>There is no domain called {domain}</h1>
        <p>It may have been removed, or it is still being created.</p>
      </div>
    );
  return (
    <>
      <DomainHeader domain={domain} />
      <DomainTabs domain={domain} />
      {children}
    </>
  );
}

const connectionsApi = getRouteApi("/domains/$domain/connections");

export function ConnectionsRoute() {
  const { domain } = connectionsApi.useParams();
  return (
    <OfDomain domain={domain} title={`Connections of ${domain}`}>
      <Connections key={domain} domain={domain} range={LIVE} />
      <ClosedConnections domain={domain} />
    </OfDomain>
  );
}

const LIVE = { kind: "live" } as const;

/** Its charts are loaded after the rest of the page. */
const ConnectionPast = lazy(() =>
  loadCode(() => import("@/features/operate/ConnectionPast")).then(({ ConnectionPast }) => ({
    default: ConnectionPast,
  })),
);

const connectionApi = getRouteApi("/domains/$domain/connections/$id");

export function ConnectionRoute() {
  const { domain, id } = connectionApi.useParams();
  const search = connectionApi.useSearch();
  const past = useMemo(() => {
    const range = rangeOf(search);
    return range.kind === "fixed" ? pastOf(range) : null;
  }, [search]);
  return (
    <OfDomain domain={domain} title={`Connection ${id}`}>
      <h2 className="mono">{id}</h2>
      <ConnectionReportView key={id} domain={domain} id={id} />
      <Suspense fallback={null}>
        <ConnectionPast key={`p-${id}`} domain={domain} id={id} past={past} />
      </Suspense>
    </OfDomain>
  );
}

const leasesApi = getRouteApi("/domains/$domain/leases");

export function LeasesRoute() {
  const { domain } = leasesApi.useParams();
  return (
    <OfDomain domain={domain} title={`Leases and waiters of ${domain}`}>
      <Waiters domain={domain} />
      <Leases domain={domain} />
      <Refusals domain={domain} />
    </OfDomain>
  );
}

const clientsApi = getRouteApi("/domains/$domain/clients");

export function ClientsRoute() {
  const { domain } = clientsApi.useParams();
  return (
    <OfDomain domain={domain} title={`Clients of ${domain}`}>
      <Connected domain={domain} />
      <Clients key={domain} domain={domain} />
    </OfDomain>
  );
}

const domainLogApi = getRouteApi("/domains/$domain/log");

export function DomainLogRoute() {
  const { domain } = domainLogApi.useParams();
  const filter = domainLogApi.useSearch();
  const navigate = useNavigate();
  return (
    <OfDomain domain={domain} title={`Log of ${domain}`}>
      <LogLines
        key={domain}
        domain={domain}
        filter={filter}
        onFilter={(search) => void navigate({ to: "/domains/$domain/log", params: { domain }, search, replace: true })}
      />
      <p className="muted small">
        These are the lines about {domain}. <Link to="/log">All lines of the service</Link>
      </p>
    </OfDomain>
  );
}

const logApi = getRouteApi("/log");

export function LogRoute() {
  usePageTitle("Log");
  const filter = logApi.useSearch();
  const navigate = useNavigate();
  return (
    <>
      <h1>Log</h1>
      <LogLines filter={filter} onFilter={(search) => void navigate({ to: "/log", search, replace: true })} />
    </>
  );
}
