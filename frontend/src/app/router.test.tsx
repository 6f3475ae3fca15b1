// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, Outlet, RouterProvider, useParams } from "@tanstack/react-router";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { DomainHeader } from "@/features/domain/Header";
import { pool } from "@/stream/fixtures";
import { router } from "./router";

vi.mock("@/stream/hooks", () => ({
  useFreshnessLevel: () => "live",
  usePool: (domain: string) => pool(domain),
  useNow: () => Date.now(),
}));
vi.mock("./Shell", () => ({ Shell: () => <Outlet /> }));
vi.mock("./routes/domains", () => ({
  DomainRoute: () => <DomainHeader domain={useParams({ strict: false }).domain ?? ""} />,
}));

let posted: string[] = [];
const service = setupServer(
  http.get("*/api/v1/domains/:domain", ({ params }) =>
    HttpResponse.json({ name: params.domain, labels: {}, tier: null, managedBy: null }),
  ),
  http.post("*/api/v1/domains/:domain/:action", ({ request }) => {
    posted.push(new URL(request.url).pathname);
    return HttpResponse.json({});
  }),
);
beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
  vi.stubGlobal("scrollTo", () => {});
});
beforeEach(async () => {
  posted = [];
  router.update({ history: createMemoryHistory({ initialEntries: ["/domains/auction"] }) });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  await screen.findByRole("heading", { name: "auction" });
  await open("bank");
});
afterEach(cleanup);
afterAll(() => service.close());

async function open(domain: string) {
  await act(() => router.navigate({ to: "/domains/$domain", params: { domain } }));
  await screen.findByRole("heading", { name: domain });
}

it("asks no question about one domain on the page of another", async () => {
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Drain" }));
  await screen.findByRole("dialog", { name: "Drain bank?" });
  act(() => router.history.back());
  await screen.findByRole("heading", { name: "auction" });
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(posted).toEqual([]);
});

it("says of no other domain what was done to one", async () => {
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Flush" }));
  await user.click(await screen.findByRole("button", { name: "Flush bank" }));
  expect((await screen.findByRole("status")).textContent).toContain("Flushing");
  expect(posted).toEqual(["/api/v1/domains/bank/flush"]);
  await open("auction");
  expect(screen.queryByRole("status")).toBeNull();
});

it("keeps the page when only its search changes", async () => {
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Drain" }));
  await screen.findByRole("dialog", { name: "Drain bank?" });
  await act(() => router.navigate({ to: "/domains/$domain", params: { domain: "bank" }, search: { range: "1h" } }));
  expect(screen.getByRole("dialog", { name: "Drain bank?" })).toBeTruthy();
});
