import { useMantineColorScheme } from "@mantine/core";
import { createSpotlight, Spotlight, type SpotlightActionData, useSpotlight } from "@mantine/spotlight";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { useGalleryDomain } from "@/api/workloads";
import { usePools } from "@/stream/hooks";
import { useLayer } from "@/ui/layers";
import { setZone, useZone } from "@/ui/preferences";
import { useMayChange } from "@/ui/role";

const [store, palette] = createSpotlight();

export const openPalette = palette.open;

/**
 * Keeps one result selected. Mantine selects only while somebody types. Without this, Enter would find nothing
 * selected when the results change later, for instance with the first snapshot or a domain's new state.
 */
function useSelection(found: unknown) {
  const { opened, query, listId } = useSpotlight(store);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect reads the rendered results
  useEffect(() => {
    const list = opened && query !== "" && document.getElementById(listId);
    if (!list || list.querySelector("[data-selected]")) return;
    list.querySelector("[data-action]")?.setAttribute("data-selected", "true");
    store.updateState((state) => ({ ...state, selected: 0 }));
  }, [opened, query, listId, found]);
}

/**
 * Takes what is typed while the palette opens. Its field gets the focus only once it is drawn, which a busy page takes a while for.
 */
function useFirstLetters() {
  useEffect(() => {
    const type = (event: KeyboardEvent) => {
      const state = store.getState();
      const letter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!state.opened || !letter || document.activeElement?.closest("[role=dialog]")) return;
      event.preventDefault();
      event.stopPropagation();
      store.setState({ ...state, query: state.query + event.key });
    };
    window.addEventListener("keydown", type, true);
    return () => window.removeEventListener("keydown", type, true);
  }, []);
}

/** The palette (Cmd/Ctrl-K): every domain, every page and frequent actions. */
export function Palette() {
  const { opened, query } = useSpotlight(store);
  useFirstLetters();
  const pools = usePools();
  const gallery = useGalleryDomain();
  const navigate = useNavigate();
  const zone = useZone();
  const mayChange = useMayChange();
  const { setColorScheme } = useMantineColorScheme();
  const statuses = pools.map((p) => `${p.domain}|${p.database}|${p.health.label}`).join();

  const actions = useMemo(() => {
    const domains: SpotlightActionData[] = statuses
      .split(",")
      .filter(Boolean)
      .map((entry) => entry.split("|") as [string, string, string])
      .map(([domain, database, status]) => ({
        id: `domain:${domain}`,
        label: domain,
        description: `domain on ${database} · ${status}`,
        keywords: ["domain", database],
        onClick: () => void navigate({ to: "/domains/$domain", params: { domain } }),
      }));
    const consoles: SpotlightActionData[] = domains.map(({ label: domain = "" }) => ({
      id: `console:${domain}`,
      label: `SQL console of ${domain}`,
      description: "page",
      onClick: () => void navigate({ to: "/domains/$domain/console", params: { domain } }),
    }));
    const portraits: SpotlightActionData[] = gallery
      ? [
          {
            id: "gallery",
            label: `Portraits of ${gallery}`,
            description: "page",
            keywords: ["stream", "images"],
            onClick: () => void navigate({ to: "/domains/$domain/gallery", params: { domain: gallery } }),
          },
        ]
      : [];
    const pages: SpotlightActionData[] = (
      [
        ["Overview", "/"],
        ["Domains", "/domains"],
        ["Databases", "/databases"],
        ["Decisions", "/decisions"],
        ["Plugins", "/plugins"],
        ["Workloads", "/workloads"],
        ["Lab", "/lab"],
        ["Alarms", "/alarms"],
        ["Audit", "/audit"],
        ["Log", "/log"],
        ["Wall", "/wall"],
      ] as const
    ).map(([label, to]) => ({ id: to, label, description: "page", onClick: () => void navigate({ to }) }));
    const changes: SpotlightActionData[] = [
      {
        id: "new-domain",
        label: "New domain",
        description: "action",
        onClick: () => void navigate({ to: "/domains", search: { new: true } }),
      },
      {
        id: "new-database",
        label: "Add a database",
        description: "action",
        onClick: () => void navigate({ to: "/databases", search: { new: true } }),
      },
    ];
    const doings: SpotlightActionData[] = [
      ...(mayChange ? changes : []),
      {
        id: "zone",
        label: zone === "utc" ? "Show local time" : "Show UTC",
        description: "action",
        onClick: () => setZone(zone === "utc" ? "local" : "utc"),
      },
      { id: "light", label: "Light theme", description: "action", onClick: () => setColorScheme("light") },
      { id: "dark", label: "Dark theme", description: "action", onClick: () => setColorScheme("dark") },
    ];
    return [...domains, ...pages, ...consoles, ...portraits, ...doings];
  }, [statuses, gallery, navigate, zone, mayChange, setColorScheme]);

  useSelection(actions);
  useLayer(opened, palette.close);

  return (
    <Spotlight
      query={query}
      store={store}
      actions={actions}
      shortcut="mod + K"
      closeOnEscape={false}
      nothingFound="No match"
      highlightQuery
      scrollable
      maxHeight={420}
      transitionProps={{ duration: 0 }}
      title="Find a domain, page or action"
      classNames={{ header: "sr-only" }}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Results" } }}
      searchProps={{ placeholder: "Find a domain, page, action…", "aria-label": "Find a domain, page or action" }}
    />
  );
}
