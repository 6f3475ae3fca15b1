import { matchQuery, QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import type { StreamEvent } from "@/stream/schemas";
import { staleAfter } from "./stale";

/** What a page has fetched that shows lists and two domains. */
const FETCHED = [
  ["domains"],
  ["domains", "bank"],
  ["domains", "auction"],
  ["databases"],
  ["policies", "domain/bank"],
  ["policies", "domain/auction"],
  ["policies", "database/main"],
  ["revisions", "domain/bank"],
  ["revisions", "database/main"],
  ["plugins"],
  ["audit"],
];

/** The keys of the queries that an event makes stale. */
function stale(event: Partial<StreamEvent>): string[] {
  const client = new QueryClient();
  const queries = client.getQueryCache();
  const filters = staleAfter({ type: "event", seq: 1, time: "2026-11-28T12:00:00Z", event: "domains", ...event });
  return FETCHED.map((queryKey) => queries.build(client, { queryKey }))
    .filter((query) => filters.some((filter) => matchQuery(filter, query)))
    .map((query) => query.queryKey.join(" "));
}

const BANK = ["domains", "domains bank"];
const SET_OF_BANK = ["policies domain/bank", "revisions domain/bank"];
const SET_OF_MAIN = ["policies database/main", "revisions database/main"];

it.each<[string, Partial<StreamEvent>, string[]]>([
  ["a domain changed", { event: "domains", domain: "bank" }, [...BANK, "databases", ...SET_OF_BANK, "audit"]],
  ["a database changed", { event: "domains", database: "main" }, ["databases", ...SET_OF_MAIN, "audit"]],
  [
    "a domain's policy set",
    { event: "policy", database: "main", domain: "bank" },
    [...BANK, ...SET_OF_BANK, "plugins", "audit"],
  ],
  [
    "a database's policy set",
    { event: "policy", database: "main", domain: null },
    ["databases", ...SET_OF_MAIN, "plugins", "audit"],
  ],
  [
    "a guard that could not judge",
    { event: "decision", decision: { kind: "unjudged", domain: "bank", database: "main" } as never },
    [...SET_OF_BANK, "audit"],
  ],
  ["any other decision", { event: "decision", decision: { kind: "grow", domain: "bank" } as never }, []],
  ["an alarm", { event: "alarm", domain: "bank" }, []],
])("makes stale what it tells of, and nothing else: %s", (_, event, keys) => {
  expect(stale(event).sort()).toEqual([...keys].sort());
});

it("takes everything for stale that may have changed, where several did", () => {
  expect(stale({ event: "domains", domain: null, database: null })).toEqual(
    FETCHED.map((key) => key.join(" ")).filter((key) => key !== "plugins"),
  );
});
