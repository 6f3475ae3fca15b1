// One journey with the client that openapi-typescript and openapi-fetch make, against a service with its demo.
import assert from "node:assert/strict";
import { test } from "node:test";
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const client = createClient<paths>({
  baseUrl: process.env.HEADGATE_URL,
  headers: { Authorization: `Bearer ${process.env.HEADGATE_TOKEN}` },
});
const path = { domain: "gallery" };

test("a list is followed page by page", async () => {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await client.GET("/api/v1/domains", { params: { query: { limit: 1, cursor } } });
    assert.ok(data);
    names.push(...data.items.map((domain) => domain.name));
    cursor = data.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(names, ["auction", "bank", "gallery"]);
});

test("a domain is read", async () => {
  const { data } = await client.GET("/api/v1/domains/{domain}", { params: { path } });
  assert.equal(data?.pool.domain, "gallery");
  assert.ok(data.wire.maxClients > 0);
});

test("what is not there is a problem", async () => {
  const { error, response } = await client.GET("/api/v1/domains/{domain}", { params: { path: { domain: "nobody" } } });
  assert.equal(response.status, 404);
  assert.match(error?.type ?? "", /\/not-found$/);
});

test("a set is put once for each revision, and the stale one is told", async () => {
  const before = await client.GET("/api/v1/domains/{domain}/policies", { params: { path } });
  assert.ok(before.data);
  const header = { "If-Match": before.response.headers.get("ETag") ?? "" };
  const { policySet } = before.data;
  const deeper = (by: number) => ({
    ...policySet,
    whenExhausted: { mode: "queue" as const, depth: (policySet.whenExhausted?.depth ?? 0) + by },
  });
  const put = await client.PUT("/api/v1/domains/{domain}/policies", {
    params: { path, header },
    body: deeper(1),
  });
  assert.equal(put.data?.revision, before.data.revision + 1);
  const stale = await client.PUT("/api/v1/domains/{domain}/policies", {
    params: { path, header },
    body: deeper(2),
  });
  assert.equal(stale.response.status, 412);
  assert.equal(stale.error?.currentRevision, put.data.revision);
});

test("decisions are read", async () => {
  const { data } = await client.GET("/api/v1/domains/{domain}/decisions", { params: { path, query: { limit: 2 } } });
  assert.ok(data && data.items.length > 0);
  assert.ok(data.items.every((decision) => decision.domain === "gallery"));
});
