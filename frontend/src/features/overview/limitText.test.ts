import { expect, it } from "vitest";
import type { PoolRow } from "@/stream/schemas";
import { limitText } from "./limitText";

type By = PoolRow["limit"]["by"];
const pool = (by: By, state: PoolRow["state"] = "open", policy: string | null = null) => ({
  limit: { by, policy, holdsBack: false },
  state,
  database: "main",
  ceiling: 8,
});
const set = { policies: [{ plugin: "min-max", parameters: { min: 2, max: 20 } }] };

it.each([
  ["policy", pool("policy", "open", "min-max"), "min-max 2…20"],
  ["a database's policy", pool("database-policy", "open", "database/schedule"), "schedule of main"],
  ["the budget", pool("budget"), "the budget of main"],
  ["an unreachable database", pool("unreachable"), "main, which is unreachable"],
  ["nothing", pool("nothing"), "nothing, up to 8"],
  ["that it is paused", pool("paused", "paused"), "paused"],
  ["that it drains, of which the limit says paused", pool("paused", "draining"), "draining"],
] as const)("names %s", (_, row, said) => {
  expect(limitText(row, set)).toBe(said);
});
