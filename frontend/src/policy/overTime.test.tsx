// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { useCaps, useDatabaseMarks } from "./overTime";

vi.mock("@/stream/hooks", () => ({ useLive: () => "main" }));

const revision = (revision: number, createdAt: string, maxLatencyMs: number) => ({
  revision,
  createdAt,
  actor: "admin",
  policySet: { policies: [{ plugin: "latency-cap", parameters: { maxLatencyMs, statistic: "mean" } }] },
});

const REVISIONS: Record<string, object[]> = {
  "/api/v1/domains/bank/policies/revisions": [revision(7, "2026-11-21T12:00:00Z", 25)],
  "/api/v1/databases/main/policies/revisions": [revision(4, "2026-11-21T12:05:00Z", 40)],
};

vi.stubGlobal("fetch", (request: Request) =>
  Promise.resolve(Response.json({ items: REVISIONS[new URL(request.url).pathname] ?? [], nextCursor: null })),
);

const queries = new QueryClient();
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={queries}>{children}</QueryClientProvider>
);

it("has the caps of a domain's own set and of its database's", async () => {
  const { result } = renderHook(() => useCaps("bank"), { wrapper });
  await waitFor(() =>
    expect(result.current.map(({ label }) => label)).toEqual(["cap 25 ms (mean)", "cap of main 40 ms (mean)"]),
  );
});

it("marks the revisions of the database's set", async () => {
  const { result } = renderHook(() => useDatabaseMarks("bank"), { wrapper });
  await waitFor(() =>
    expect(result.current).toEqual([
      { kind: "policy", time: Date.UTC(2026, 10, 21, 12, 5), text: "main rev 4", said: "rev 4 of main by admin" },
    ]),
  );
});
