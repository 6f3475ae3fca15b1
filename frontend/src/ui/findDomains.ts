/** Finds domains by name, database, tier, label or state, and puts them in order. The same in the navigation, in lists and on the wall. */
import { byName } from "@/format/names";
import type { Standing } from "@/stream/schemas";
import { worstFirst } from "./health";

const TIERS = ["gold", "silver", "bronze"];

/** Whether every word of the text is part of a domain's name, database, tier, state or one of its labels ("team:payments"). An empty text fits all. */
export function fits(domain: Standing, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const { health, state, tier, database } = domain;
  const labels = Object.entries(domain.labels).map((label) => label.join(":"));
  const where = [domain.domain, database, tier ?? "", state, health.code, health.label, health.severity, ...labels];
  return words.every((word) => where.some((each) => each.toLowerCase().includes(word)));
}

const rank = (tier: string | null) => (TIERS.indexOf(tier ?? "") + TIERS.length + 1) % (TIERS.length + 1);

/** Trouble first and the older trouble before the newer, then by tier, then by name. */
export function byTrouble(a: Standing, b: Standing): number {
  return worstFirst(a.health, b.health) || rank(a.tier) - rank(b.tier) || byName(a.domain, b.domain);
}
