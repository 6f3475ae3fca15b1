// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { MayChange } from "@/ui/role";
import { FirstRun } from "./FirstRun";

const page = (items: unknown[]) => ({ items, nextCursor: null });
let databases: unknown[] = [];
let domains: unknown[] = [];
let clients: unknown[] = [];
let arrivals = 0;
vi.mock("@/stream/hooks", async (original) => ({
  ...(await original<typeof import("@/stream/hooks")>()),
  useStreamed: () => ({ isSuccess: true }),
  usePools: () => domains,
}));
const service = setupServer(
  http.get("*/api/v1/databases", () => HttpResponse.json(page(databases))),
  http.get("*/api/v1/domains", () => HttpResponse.json(page(domains))),
  http.get("*/api/v1/domains/bank/clients", () =>
    HttpResponse.json({
      ...page(clients),
      endpoint: { host: "127.0.0.1", port: 6432, database: "bank", listening: true, tls: false },
    }),
  ),
  http.get("*/api/v1/domains/bank/history", () =>
    HttpResponse.json({
      stepMs: 1000,
      time: [],
      columns: {},
      markers: [],
      total: { requests: 2 + arrivals, arrivals, refused: 0 },
    }),
  ),
);
beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
  vi.stubGlobal("scrollTo", () => {});
});
beforeEach(() => {
  localStorage.clear();
  [databases, domains, clients, arrivals] = [[], [], [], 0];
});
afterEach(cleanup);
afterAll(() => service.close());

function show(mayChange = true) {
  const root = createRootRoute({
    component: () => (
      <MayChange value={mayChange}>
        <FirstRun />
        <p>beneath</p>
      </MayChange>
    ),
  });
  const router = createRouter({ routeTree: root, history: createMemoryHistory() });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <MantineProvider>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return queries;
}

const FINE = { code: "fine", severity: "fine", sentence: "main is fine", since: null, until: null };
const database = (name: string, health: object = FINE, alarms: unknown[] = []) => ({
  name,
  domains: ["bank"],
  health,
  alarms,
});

it("says of a database that is away that it is, and not that it can be reached", async () => {
  const away = { code: "unreachable", severity: "warning", since: null, until: null };
  databases = [
    database("main", { ...away, sentence: "main has been unreachable" }, [
      { code: "unreachable", detail: "connection refused" },
    ]),
  ];
  show();
  expect(await screen.findByText("main has been unreachable: connection refused")).toBeTruthy();
  expect(screen.queryByText(/can reach/)).toBeNull();

  cleanup();
  databases.push(database("other"));
  show();
  expect((await screen.findByText(/^Headgate can reach/)).textContent).toBe("Headgate can reach other.");
  expect(screen.getByText(/^main has been unreachable/)).toBeTruthy();
});

const steps = () => screen.getAllByRole("listitem").map((step) => step.getAttribute("data-done"));

it("leads from an empty service to a psql line and the first request, across reloads, until it is closed", async () => {
  show();
  await screen.findByRole("button", { name: "Add a database" });
  expect(steps()).toEqual(["false", "false", "false", "false"]);

  cleanup();
  databases = [database("main")];
  domains = [{ name: "bank", database: "main" }];
  show();
  await screen.findByRole("button", { name: "Add a client" });
  expect(screen.getByText(/^Headgate can reach/).textContent).toBe("Headgate can reach main.");
  expect(steps()).toEqual(["true", "true", "false", "false"]);
  expect(screen.queryByRole("button", { name: "Add a database" })).toBeNull();

  cleanup();
  clients = [{ name: "web", createdAt: "2026-11-21T12:00:00Z", createdBy: "admin", connected: 0 }];
  show();
  const line = (await screen.findByLabelText("psql command")) as HTMLInputElement;
  expect(line.value).toBe("psql -h 127.0.0.1 -p 6432 -U web -d bank");
  expect(screen.getByTestId("first-request").textContent).toContain("Waiting for the first request of bank");

  cleanup();
  arrivals = 1;
  show();
  await waitFor(() => expect(screen.getByTestId("first-request").className).toContain("good"));
  expect(screen.getByTestId("first-request").textContent).toBe("bank has answered its first request.");
  expect(steps()).toEqual(["true", "true", "true", "true"]);

  await userEvent.setup().click(screen.getByRole("button", { name: "Done" }));
  expect(screen.queryByRole("listitem")).toBeNull();
  cleanup();
  show();
  await screen.findByText("beneath");
  expect(screen.queryByRole("listitem")).toBeNull();
});

it("closes the form of a domain that the stream tells before the answer to the form has come", async () => {
  databases = [database("main")];
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  service.use(
    http.post("*/api/v1/domains", async () => {
      domains = [{ name: "bank", database: "main" }];
      await answered;
      return HttpResponse.json(domains[0] as object, { status: 201 });
    }),
  );
  const user = userEvent.setup();
  const queries = show();
  await user.click(await screen.findByRole("button", { name: "Make a domain" }));
  await user.type(await screen.findByLabelText("Name"), "bank");
  await user.click(screen.getByRole("button", { name: "Create the domain" }));
  await waitFor(() => expect(domains).toHaveLength(1));
  await queries.invalidateQueries({ queryKey: ["domains"] });
  await screen.findByText(/has its pool on main/);
  answer();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await screen.findByRole("button", { name: "Add a client" });
});

it("is not in the way of a service in use, nor of a reader", async () => {
  show(false);
  await screen.findByText("beneath");
  await new Promise((resolve) => setTimeout(resolve));
  expect(localStorage.getItem("headgate.guide")).toBeNull();
  cleanup();
  domains = [{ name: "bank", database: "main" }];
  show();
  await screen.findByText("beneath");
  expect(screen.queryByRole("listitem")).toBeNull();
  expect(localStorage.getItem("headgate.guide")).toBeNull();
});
