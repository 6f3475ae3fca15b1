/** The browser's tab: its icon shows the worst state, its title counts the alarms that nobody has attended to. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { unattendedQuery } from "@/api/alarms";
import type { Health } from "@/api/types";
import { isCurrent } from "@/stream/freshness";
import { useFreshnessLevel, useLive, usePools } from "@/stream/hooks";
import { type Tone, toneOf, worstFirst } from "@/ui/health";
import { setTitlePrefix } from "@/ui/title";

export type Tab = { tone: Tone | "lost"; count: number };

const COLORS: Record<Tab["tone"], string> = {
  good: "#2f9e6e",
  quiet: "#2f9e6e",
  warn: "#d08a1d",
  bad: "#d64545",
  lost: "#8a8f98",
};

/** What the tab shows, of domains and databases. Without data it says nothing about them. */
export function tabOf(all: readonly { health: Health }[], unattended: number, isLost: boolean): Tab {
  if (isLost) return { tone: "lost", count: 0 };
  const [worst] = all.map((each) => each.health).sort(worstFirst);
  return { tone: worst ? toneOf(worst) : "good", count: unattended };
}

/** "(2) " before the title for two unattended alarms. */
export const prefixOf = (count: number): string => (count > 0 ? `(${count}) ` : "");

/** Headgate's mark with a dot in the state's colour. If somebody should look, the dot has a hole, for those who see no colours. */
export function iconOf(tone: Tab["tone"]): string {
  const hole = tone === "warn" || tone === "bad" ? `<circle cx="16" cy="16" r="2" fill="#fff"/>` : "";
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22" fill="none" stroke="#7c8594" stroke-linecap="round">` +
    `<path d="M3 3v16M19 3v16M3 6h16" stroke-width="2"/><path d="M7 9.5v5M11 9.5v5M15 9.5v5" stroke-width="2.4"/>` +
    `<circle cx="16" cy="16" r="6" fill="${COLORS[tone]}" stroke="none"/>${hole}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** Keeps the tab's icon and title in step with the states and alarms. Once nobody does, as after signing out, they say nothing. */
export function useTab(): void {
  const unattended = useQuery(unattendedQuery).data ?? 0;
  const all = [...usePools(), ...useLive((s) => s.databases())];
  const { tone, count } = tabOf(all, unattended, !isCurrent(useFreshnessLevel()));
  useEffect(() => {
    show(tone);
    return () => show("lost");
  }, [tone]);
  useEffect(() => {
    setTitlePrefix(prefixOf(count));
    return () => setTitlePrefix("");
  }, [count]);
}

function show(tone: Tab["tone"]): void {
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link) link.href = iconOf(tone);
}
