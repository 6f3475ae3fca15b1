import { createRootRoute, createRoute, createRouter, Link, lazyRouteComponent } from "@tanstack/react-router";
import * as z from "zod/mini";
import { compareSearch } from "@/features/domain/compare";
import { rangeSearch } from "@/range/range";
import { loadCode } from "@/ui/loadCode";
import { PageFault } from "./PageFault";
import { Shell } from "./Shell";

const text = z.catch(z.optional(z.string()), undefined);
const logSearch = z.catch(z.optional(z.literal(1)), undefined);
const runId = z.catch(z.optional(z.number()), undefined); // a number in the address is one in the search
const flag = z.catch(z.optional(z.boolean()), undefined);

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <div className="panel empty">
      <h1>There is no such page</h1>
      <p>
        <Link to="/">Go to the overview</Link>
      </p>
    </div>
  ),
});

const at = () => root;

// Each page's code is loaded when the page is first opened: forms and charts are most of it.
const overview = () => loadCode(() => import("./routes/overview"));
const domainList = () => loadCode(() => import("./routes/domainList"));
const domains = () => loadCode(() => import("./routes/domains"));
const sqlConsole = () => loadCode(() => import("./routes/console"));
const operate = () => loadCode(() => import("./routes/operate"));
const gallery = () => loadCode(() => import("./routes/gallery"));
const databases = () => loadCode(() => import("./routes/databases"));
const lab = () => loadCode(() => import("./routes/lab"));
const wall = () => loadCode(() => import("./routes/wall"));
const pages = () => loadCode(() => import("./routes/pages"));

/** Which domains a list shows, and in which groups: `groupingOf` reads those. */
const listSearch = { q: text, group: text };

/** Which lines of the log are shown: `LogLines` reads it. */
const logLinesSearch = { level: z.catch(z.optional(z.enum(["info", "warn", "error"])), undefined), q: text };

/** The time that charts show, an earlier one beneath, and a logarithmic axis of the latency. */
const chartSearch = { ...rangeSearch, compare: compareSearch, log: logSearch };

export const overviewRoute = createRoute({
  getParentRoute: at,
  path: "/",
  validateSearch: z.object(listSearch),
  component: lazyRouteComponent(overview, "OverviewRoute"),
});

export const domainsRoute = createRoute({
  getParentRoute: at,
  path: "/domains",
  validateSearch: z.object({ new: flag, ...listSearch }),
  component: lazyRouteComponent(domainList, "DomainsRoute"),
});

export const domainRoute = createRoute({
  getParentRoute: at,
  path: "/domains/$domain",
  validateSearch: z.object({ ...chartSearch, policy: flag }),
  component: lazyRouteComponent(domains, "DomainRoute"),
});

export const connectionsRoute = createRoute({
  getParentRoute: at,
  path: "/domains/$domain/connections",
  component: lazyRouteComponent(operate, "ConnectionsRoute"),
});

export const connectionRoute = createRoute({
  getParentRoute: at,
  path: "/domains/$domain/connections/$id",
  validateSearch: z.object(rangeSearch),
  component: lazyRouteComponent(operate, "ConnectionRoute"),
});

export const leasesRoute = createRoute({
  getParentRoute: at,
  path: "/domains/$domain/leases",
  component: lazyRouteComponent(operate, "LeasesRoute"),
});

export const clientsRoute = createRoute({
  getParentRoute: at,
  path: "/domains/$domain/clients",
  component: lazyRouteComponent(operate, "ClientsRoute"),
});

export const domainLogRoute = createRoute({
  getParentRoute: at,
  path: "/domains/$domain/log",
  validateSearch: z.object(logLinesSearch),
  component: lazyRouteComponent(operate, "DomainLogRoute"),
});

export const logRoute = createRoute({
  getParentRoute: at,
  path: "/log",
  validateSearch: z.object(logLinesSearch),
  component: lazyRouteComponent(operate, "LogRoute"),
});

export const consoleRoute = createRoute({
  getParentRoute: at,
  path: "/domains/$domain/console",
  component: lazyRouteComponent(sqlConsole, "ConsoleRoute"),
});

export const galleryRoute = createRoute({
  getParentRoute: at,
  path: "/domains/$domain/gallery",
  component: lazyRouteComponent(gallery, "GalleryRoute"),
});

export const databasesRoute = createRoute({
  getParentRoute: at,
  path: "/databases",
  validateSearch: z.object({ new: flag }),
  component: lazyRouteComponent(databases, "DatabasesRoute"),
});

export const databaseRoute = createRoute({
  getParentRoute: at,
  path: "/databases/$database",
  validateSearch: z.object(chartSearch),
  component: lazyRouteComponent(databases, "DatabaseRoute"),
});

export const decisionsRoute = createRoute({
  getParentRoute: at,
  path: "/decisions",
  validateSearch: z.object({ domain: text, database: text, kind: text, policy: text, q: text, open: text, at: text }),
  component: lazyRouteComponent(pages, "DecisionsRoute"),
});

export const alarmsRoute = createRoute({
  getParentRoute: at,
  path: "/alarms",
  validateSearch: z.object({ domain: text, alarm: text }), // not "code", which is a login's
  component: lazyRouteComponent(pages, "AlarmsRoute"),
});

const pluginsRoute = createRoute({
  getParentRoute: at,
  path: "/plugins",
  component: lazyRouteComponent(pages, "PluginsRoute"),
});
const workloadsRoute = createRoute({
  getParentRoute: at,
  path: "/workloads",
  component: lazyRouteComponent(pages, "WorkloadsRoute"),
});
const labRoute = createRoute({
  getParentRoute: at,
  path: "/lab",
  validateSearch: z.object({ start: text, like: runId }),
  component: lazyRouteComponent(lab, "LabRoute"),
});
const labRunRoute = createRoute({
  getParentRoute: at,
  path: "/lab/runs/$id",
  component: lazyRouteComponent(lab, "LabRunRoute"),
});
const labCompareRoute = createRoute({
  getParentRoute: at,
  path: "/lab/compare",
  validateSearch: z.object({ first: runId, second: runId }),
  component: lazyRouteComponent(lab, "LabCompareRoute"),
});
/** Fills the window, without the header and the navigation. */
const wallRoute = createRoute({
  getParentRoute: at,
  path: "/wall",
  component: lazyRouteComponent(wall, "WallRoute"),
});
const auditRoute = createRoute({
  getParentRoute: at,
  path: "/audit",
  component: lazyRouteComponent(pages, "AuditRoute"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overviewRoute,
    domainsRoute,
    domainRoute,
    connectionsRoute,
    connectionRoute,
    leasesRoute,
    clientsRoute,
    domainLogRoute,
    logRoute,
    consoleRoute,
    galleryRoute,
    databasesRoute,
    databaseRoute,
    decisionsRoute,
    alarmsRoute,
    pluginsRoute,
    workloadsRoute,
    labRoute,
    labRunRoute,
    labCompareRoute,
    auditRoute,
    wallRoute,
  ]),
  defaultPreload: false,
  // A page of another domain, database, run or connection is a new page: a question that was asked of one is not asked of the next.
  defaultRemountDeps: ({ params }) => params,
  defaultErrorComponent: PageFault,
  // Shown from one second on. Until then the page before stays, so that nothing jumps.
  defaultPendingComponent: () => (
    <p className="muted" role="status">
      Loading…
    </p>
  ),
});

/** Starts to load the code of the page at this address, while the session is asked for. */
export const preloadPage = () => void router.preloadRoute({ to: window.location.pathname }).catch(() => {});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
