/** The browser's tab: its icon shows the worst state, its title counts the domains in trouble. */
import { useEffect } from "react";
import type { Pool } from "@/api/types";
import { isCurrent } from "@/stream/freshness";
import { useFreshnessLevel, usePools } from "@/stream/hooks";
import { isTrouble, type Tone, toneOf, worstFirst } from "@/ui/health";
import { setTitlePrefix } from "@/ui/title";

export type Tab = { tone: Tone | "lost"; count: number };

const COLORS: Record<Tab["tone"], string> = {
  good: "#2f9e6e",
  quiet: "#2f9e6e",
  warn: "#d08a1d",
  bad: "#d64545",
  lost: "#8a8f98",
};

/** What the tab shows. Without data it says nothing about the domains. */
export function tabOf(pools: readonly Pick<Pool, "health">[], isLost: boolean): Tab {
  if (isLost) return { tone: "lost", count: 0 };
  const healths = pools.map((pool) => pool.health);
  const [worst] = [...healths].sort(worstFirst);
  return { tone: worst ? toneOf(worst) : "good", count: healths.filter(isTrouble).length };
}

/** "(2) " before the title for two domains in trouble. */
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

/** Keeps the tab's icon and title in step with the pools. */
export function useTab(): void {
  const { tone, count } = tabOf(usePools(), !isCurrent(useFreshnessLevel()));
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (link) link.href = iconOf(tone);
  }, [tone]);
  useEffect(() => setTitlePrefix(prefixOf(count)), [count]);
}
