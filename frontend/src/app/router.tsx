import { createRootRoute, createRoute, createRouter, Link, lazyRouteComponent } from "@tanstack/react-router";
import { z } from "zod";
import { rangeSchema } from "@/features/domain/range";
import { Shell } from "./Shell";

const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

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
  errorComponent: ({ error, reset }) => (
    <div className="panel empty" role="alert">
      <h1>This page failed</h1>
      <p className="mono">{error instanceof Error ? error.message : String(error)}</p>
      <p>
        <button type="button" className="btn" onClick={reset}>
          Try again
        </button>
      </p>
    </div>
  ),
});

const at = () => root;

// Each page's code is loaded when the page is first opened: forms and charts are most of it.
const overview = () => import("./routes/overview");
const domains = () => import("./routes/domains");
const sqlConsole = () => import("./routes/console");
const gallery = () => import("./routes/gallery");
const databases = () => import("./routes/databases");
const pages = () => import("./routes/pages");

export const overviewRoute = createRoute({
  getParentRoute: at,
  path: "/",
  component: lazyRouteComponent(overview, "OverviewRoute"),
});

export const domainsRoute = createRoute({
  getParentRoute: at,
  path: "/domains",
  validateSearch: z.object({ new: flag }),
  component: lazyRouteComponent(domains, "DomainsRoute"),
});

export const domainRoute = createRoute({
  getParentRoute: at,
  path: "/domains/$domain",
  validateSearch: z.object({ range: rangeSchema.optional().catch(undefined), policy: flag }),
  component: lazyRouteComponent(domains, "DomainRoute"),
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
  component: lazyRouteComponent(databases, "DatabaseRoute"),
});

export const decisionsRoute = createRoute({
  getParentRoute: at,
  path: "/decisions",
  validateSearch: z.object({ domain: text, kind: text, policy: text, q: text, open: text }),
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
    consoleRoute,
    galleryRoute,
    databasesRoute,
    databaseRoute,
    decisionsRoute,
    alarmsRoute,
    pluginsRoute,
    workloadsRoute,
    auditRoute,
  ]),
  defaultPreload: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
