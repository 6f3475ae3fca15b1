import { describe, expect, it } from "vitest";
import { SERIES, seriesColor } from "./colors";

const names = Array.from({ length: 500 }, (_, i) => `tenant-${i}`);

describe("colours of names", () => {
  it("use the whole palette about evenly", () => {
    const counts = new Map<string, number>();
    for (const name of names) counts.set(seriesColor(name), (counts.get(seriesColor(name)) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual([...SERIES]);
    for (const count of counts.values()) expect(count).toBeGreaterThan(50);
  });

  it("do not depend on which other domains there are", () => {
    expect(seriesColor("bank")).toBe(seriesColor("bank"));
  });
});
