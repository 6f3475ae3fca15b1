import { expect, it } from "vitest";
import type { Health } from "@/api/types";
import { ageOf, labelWithAge } from "./health";

const NOW = Date.parse("2026-11-29T12:00:00.000Z");
const ago = (ms: number) => new Date(NOW - ms).toISOString();

it.each([
  [{ since: null }, ""],
  [{ since: ago(0) }, ""],
  [{ since: ago(999) }, ""],
  [{ since: ago(1_000) }, "for 1 s"],
  [{ since: ago(134_000) }, "for 2 min 14 s"],
  [{ since: ago(5_000), until: ago(400) }, "until just now"],
  [{ since: ago(20_000), until: ago(12_000) }, "until 12 s ago"],
])("tells how long a state has been there, and nothing of no time: %o", (times, told) => {
  expect(ageOf(times, NOW)).toBe(told);
});

it("tells it after a label, too", () => {
  const recovered = { label: "recovered", since: ago(5_000), until: ago(400) } as Health;
  expect(labelWithAge(recovered, NOW)).toBe("recovered just now");
  expect(labelWithAge({ label: "at cap", since: ago(0) } as Health, NOW)).toBe("at cap");
});
