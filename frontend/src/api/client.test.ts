import { beforeAll, expect, it, vi } from "vitest";
import { answer, client, reading } from "./client";
import { sentence } from "./problem";

beforeAll(() => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
});

const said = (call: Parameters<typeof answer>[0]) => answer(call).then(() => "answered", sentence);

it("tells of a read without an answer that there was none, and nothing of a change", async () => {
  expect(await said(client.GET("/api/v1/domains"))).toBe("The service did not answer.");
  expect(await said(client.POST("/api/v1/session", { fetch: reading }))).toBe("The service did not answer.");
});

it("tells of a change without an answer that it may not have been made", async () => {
  const call = client.POST("/api/v1/domains/{domain}/pause", { params: { path: { domain: "bank" } } });
  expect(await said(call)).toBe("The service did not answer. The change may not have been made.");
});
