import { describe, expect, it } from "vitest";
import { colorsApart, SERIES, seriesColor } from "./colors";

const names = Array.from({ length: 500 }, (_, i) => `tenant-${i}`);

describe("colours of names", () => {
  it("use the whole palette about evenly", () => {
    const counts = new Map<string, number>();
    for (const name of names) counts.set(seriesColor(name), (counts.get(seriesColor(name)) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual([...SERIES]);
    for (const count of counts.values()) expect(count).toBeGreaterThan(50);
  });

  it("keep neighbours in one chart apart, and leave the others their own", () => {
    const colors = colorsApart(names);
    names.slice(1).forEach((name, i) => {
      expect(colors.get(name)).not.toBe(colors.get(names[i] as string));
    });
    const own = names.filter((name) => colors.get(name) === seriesColor(name));
    expect(own.length).toBeGreaterThan(350);
  });

  it("do not depend on which other domains there are", () => {
    expect(colorsApart(["bank"]).get("bank")).toBe(seriesColor("bank"));
    expect(seriesColor("bank")).toBe(seriesColor("bank"));
  });
});
