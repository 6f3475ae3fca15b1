import { describe, expect, it } from "vitest";
import type { PoolRow } from "@/stream/schemas";
import { wallRows } from "./wall";

const row = (domain: string, severity: string, inUse = 0) =>
  ({
    domain,
    tier: "gold",
    health: { code: severity, label: severity, severity, sentence: domain, since: null },
    inUse,
    latency: { perSecond: inUse },
  }) as unknown as PoolRow;

describe("the wall's rows", () => {
  const rows = [row("idle", "fine"), row("busy", "fine", 9), row("late", "warning"), row("down", "critical")];
  const names = (some: readonly PoolRow[]) => some.map((each) => each.domain);

  it("are those in trouble, the worst first, then the busiest", () => {
    const { troubled, calm, more } = wallRows(rows, 3);
    expect(names(troubled)).toEqual(["down", "late"]);
    expect(names(calm)).toEqual(["busy"]);
    expect(more).toEqual({ troubled: 0, calm: 1 });
  });

  it("say how much trouble has no room", () => {
    expect(wallRows(rows, 1)).toMatchObject({ calm: [], more: { troubled: 1, calm: 2 } });
    expect(names(wallRows(rows, 0).troubled)).toEqual(["down"]);
  });
});
