import { Menu, useMantineColorScheme } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { usePluginCount } from "@/api/policies";
import { endSession } from "@/api/session";
import { age, duration } from "@/format/format";
import { freshness, live } from "@/stream/browser";
import { UNREACHABLE } from "@/stream/freshness";
import { useFreshnessLevel, useLive, usePools, useTick } from "@/stream/hooks";
import { isTrouble } from "@/ui/health";
import { Drawer } from "@/ui/layers";
import { setZone, useZone } from "@/ui/preferences";
import { useShownPage } from "@/ui/title";
import { AlarmsEntry } from "./AlarmsEntry";
import { DomainTree } from "./DomainTree";
import { useFocusInPlace } from "./focusInPlace";
import { useSession } from "./Gate";
import { Mark } from "./Mark";
import { openPalette, Palette } from "./Palette";
import { staleAfter } from "./stale";
import { useTab } from "./tab";

export function Shell() {
  const level = useFreshnessLevel();
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (s) => s.location.pathname });
  const [menu, setMenu] = useState(false);
  const shown = useShownPage();
  useServerEvents();
  useTab();
  useFocusInPlace();

  // A new page closes the menu and starts at its top. The first one does, and would be laid out for it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(
    () => () => {
      setMenu(false);
      main.current?.scrollTo(0, 0);
    },
    [path],
  );

  if (path === "/wall")
    return (
      <main className="wall" id="main" tabIndex={-1} ref={main} data-fresh={level}>
        <Outlet />
      </main>
    );
  return (
    <div className="app">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <button type="button" className="bare menu-button" aria-label="Menu" onClick={() => setMenu(true)}>
          <svg width="16" height="16" viewBox="0 0 16 16" stroke="currentColor" strokeWidth="1.6" aria-hidden="true">
            <path d="M2 4h12M2 8h12M2 12h12" />
          </svg>
        </button>
        <Link to="/" className="mark" aria-label="Headgate">
          <Mark />
          <span>Headgate</span>
        </Link>
        <button type="button" className="search" onClick={openPalette} aria-label="Find a domain, page or action">
          <span>Find a domain, page, action…</span>
          <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K"}</kbd>
        </button>
        <span className="grow" />
        <LiveIndicator />
        <ZoneToggle />
        <SchemeMenu />
        <RoleMenu />
      </header>
      <nav className="nav" aria-label="Pages">
        <NavList shortcut />
      </nav>
      <Drawer opened={menu} onClose={() => setMenu(false)} size={248} title="Headgate" position="left">
        <nav className="nav" aria-label="Pages" style={{ border: 0, padding: 0 }}>
          <NavList />
        </nav>
        <SignedIn />
      </Drawer>
      <main className="main" id="main" tabIndex={-1} ref={main} data-fresh={level}>
        <div className="page">
          {level === "lost" && <StaleNote />}
          {level === "unreachable" && (
            <div className="stale-note" data-testid="stale">
              <span role="status">{UNREACHABLE}</span>
            </div>
          )}
          <Outlet />
        </div>
      </main>
      <p className="sr-only" aria-live="polite">
        {shown}
      </p>
      <Palette />
    </div>
  );
}

function LiveIndicator() {
  useTick(200);
  const { level, ageMs } = freshness();
  const text = {
    waiting: <b>connecting</b>,
    unreachable: <b>no stream</b>,
    live: (
      <>
        <b>live</b>
        <span className="long"> · {(Math.floor(ageMs / 100) / 10).toFixed(1)} s old</span>
      </>
    ),
    late: (
      <>
        <b>late</b> · {(ageMs / 1000).toFixed(1)} s old
      </>
    ),
    lost: (
      <b>
        no data{Number.isFinite(ageMs) ? ` for ${age(ageMs)}` : ""}
        <span className="long">, reconnecting</span>
      </b>
    ),
  }[level];
  return (
    <span className="live" data-level={level} data-testid="live">
      <span className="dot" />
      <span>{text}</span>
    </span>
  );
}

function StaleNote() {
  useTick(1_000);
  const { ageMs } = freshness();
  return (
    <div className="stale-note" data-testid="stale">
      <span role="status">The live stream is interrupted; reconnecting.</span>
      {Number.isFinite(ageMs) && (
        <span>The data shown is {duration(Math.max(1000, Math.floor(ageMs / 1000) * 1000))} old.</span>
      )}
    </div>
  );
}

function NavList({ shortcut = false }: { shortcut?: boolean }) {
  const pools = usePools();
  const plugins = usePluginCount();
  return (
    <ul className="nav-pages">
      <li>
        <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
          Overview
        </Link>
      </li>
      <li className="nav-domains">
        <Link to="/domains" activeOptions={{ exact: true, includeSearch: false }}>
          Domains <span className="n">{pools.length || ""}</span>
        </Link>
        <DomainTree shortcut={shortcut} />
      </li>
      <li>
        <DatabasesEntry />
      </li>
      <li>
        <Link to="/decisions">Decisions</Link>
      </li>
      <li>
        <AlarmsEntry />
      </li>
      <li aria-hidden="true">
        <hr />
      </li>
      <li>
        <Link to="/plugins">
          Plugins <span className="n">{plugins ?? ""}</span>
        </Link>
      </li>
      <li>
        <Link to="/workloads">Workloads</Link>
      </li>
      <li>
        <Link to="/lab">Lab</Link>
      </li>
      <li>
        <Link to="/wall">Wall</Link>
      </li>
      <li aria-hidden="true">
        <hr />
      </li>
      <li>
        <Link to="/audit">Audit</Link>
      </li>
      <li>
        <Link to="/log">Log</Link>
      </li>
    </ul>
  );
}

/** The entry of the databases, with their number, or that of those in trouble. */
function DatabasesEntry() {
  const databases = useLive((s) => s.databases());
  const troubled = databases.filter(({ health }) => isTrouble(health)).length;
  return (
    <Link to="/databases">
      Databases{" "}
      {troubled > 0 ? (
        <span className="n alarmed">
          {troubled}
          <span className="sr-only"> of {databases.length} in trouble</span>
          <span aria-hidden="true"> ▲</span>
        </span>
      ) : (
        <span className="n">{databases.length || ""}</span>
      )}
    </Link>
  );
}

function ZoneToggle() {
  const zone = useZone();
  return (
    <button
      type="button"
      className="bare zone"
      onClick={() => setZone(zone === "utc" ? "local" : "utc")}
      title={zone === "utc" ? "Times are in UTC; show local time" : "Times are local; show UTC"}
    >
      {zone === "utc" ? "UTC" : "Local"}
    </button>
  );
}

const SCHEMES = [
  ["light", "☀", "Light"],
  ["dark", "☾", "Dark"],
  ["auto", "◐", "Like the system"],
] as const;

function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const shown = SCHEMES.find(([scheme]) => scheme === colorScheme) ?? SCHEMES[2];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button type="button" className="bare" aria-label={`Theme: ${shown[2]}`}>
          <span aria-hidden="true">{shown[1]}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(([scheme, shape, text]) => (
          <Menu.Item
            key={scheme}
            leftSection={<span aria-hidden="true">{shape}</span>}
            rightSection={scheme === colorScheme ? "✓" : null}
            onClick={() => setColorScheme(scheme)}
          >
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function RoleMenu() {
  const session = useSession();
  if (!session) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button type="button" className="bare role">
          <span className="chip">{session.role}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.name} on {session.node} · Headgate {session.version}
        </Menu.Label>
        <Menu.Item onClick={signOut}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** In the menu of a narrow screen, which has no room for it at the top. */
function SignedIn() {
  const session = useSession();
  if (!session) return null;
  return (
    <div className="row wrap signed-in">
      <span className="chip">{session.role}</span>
      <ZoneToggle />
      <span className="grow" />
      <button type="button" className="btn small" onClick={signOut}>
        Sign out
      </button>
    </div>
  );
}

const signOut = () =>
  void endSession().then(
    () => window.location.assign("/"),
    () => window.location.assign("/"),
  );

/** Refetches what the service reports as changed, and nothing else. */
function useServerEvents() {
  const queries = useQueryClient();
  useEffect(
    () =>
      live.onEvent((event) => {
        for (const stale of staleAfter(event)) void queries.invalidateQueries(stale);
      }),
    [queries],
  );
}
