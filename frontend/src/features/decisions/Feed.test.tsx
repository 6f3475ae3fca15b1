// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { Feed } from "./Feed";

const streamed = [decision("d3", "bank", "12:02"), decision("s1", "shop", "12:03")];

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
vi.mock("@/stream/hooks", () => ({ usePools: () => [], useDecisions: () => streamed }));

function decision(id: string, domain: string, at: string) {
  return {
    id,
    time: `2026-11-21T${at}:00Z`,
    count: 1,
    kind: "grew",
    message: id,
    domain,
    database: "main",
    policy: "",
  };
}

const service = setupServer(
  http.get("*/api/v1/decisions", ({ request }) => {
    const domain = new URL(request.url).searchParams.get("domain");
    const items = domain === "bank" ? [decision("d2", "bank", "12:01"), decision("d1", "bank", "12:00")] : [];
    return HttpResponse.json({ items, nextCursor: null, lost: 0 });
  }),
);
beforeAll(() => service.listen({ onUnhandledRequest: "error" }));
afterEach(cleanup);
afterAll(() => service.close());

const show = (domain: string, most: number) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Feed domain={domain} most={most} />
    </QueryClientProvider>,
  );

it("shows the stored decisions of a domain before those that were streamed", async () => {
  show("bank", 2);
  await vi.waitFor(() => expect(screen.getAllByRole("listitem").map((each) => each.textContent)).toEqual(["d3", "d2"]));
});

it("says that nothing was decided only when the service has said so", async () => {
  show("gallery", 2);
  expect(screen.queryByText("Nothing was changed or refused yet.")).toBeNull();
  await screen.findByText("Nothing was changed or refused yet.");
});
