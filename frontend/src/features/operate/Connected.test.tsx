// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { Connected } from "./Connected";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));

const PAGE = 2;
const APPLICATIONS = ["api", "batch", "cron", "desk", "web"];

const application = (name: string) => ({
  application: name,
  user: "app",
  host: "10.0.4.7",
  connections: 1,
  active: 0,
  waiting: 0,
  transactions: 1,
  waits: 0,
  waitedMs: 0,
  errors: 0,
  statements: 0,
  bytesIn: 1,
  bytesOut: 1,
});

/** As the service does: a cursor is the name of the last one of the page before. */
const service = setupServer(
  http.get("*/api/v1/domains/bank/wire-applications", ({ request }) => {
    const query = new URL(request.url).searchParams;
    const fits = APPLICATIONS.filter((name) => name.includes(query.get("q") ?? ""));
    const rest = fits.filter((name) => name > (query.get("cursor") ?? ""));
    const page = rest.slice(0, PAGE);
    return HttpResponse.json({
      items: page.map(application),
      nextCursor: rest.length > PAGE ? page.at(-1) : null,
      total: fits.length,
    });
  }),
);
beforeAll(() => service.listen({ onUnhandledRequest: "error" }));
beforeEach(() => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Connected domain="bank" />
    </QueryClientProvider>,
  );
});
afterEach(cleanup);
afterAll(() => service.close());

const shown = () => APPLICATIONS.filter((name) => screen.queryByText(name)).join();
const button = (name: string) => screen.getByRole("button", { name }) as HTMLButtonElement;

it("leads to those beyond the first page, and back", async () => {
  const user = userEvent.setup();
  await waitFor(() => expect(shown()).toBe("api,batch"));
  expect(button("Previous page").disabled).toBe(true);
  await user.click(button("Next page"));
  await waitFor(() => expect(shown()).toBe("cron,desk"));
  await user.click(button("Next page"));
  await waitFor(() => expect(shown()).toBe("web"));
  expect(screen.getByRole("status").textContent).toBe("Page 3");
  expect(button("Next page").disabled).toBe(true);
  await user.click(button("Previous page"));
  await waitFor(() => expect(shown()).toBe("cron,desk"));
});

it("filters all of them, from the first page on", async () => {
  const user = userEvent.setup();
  await waitFor(() => expect(shown()).toBe("api,batch"));
  await user.click(button("Next page"));
  await waitFor(() => expect(shown()).toBe("cron,desk"));
  await user.type(screen.getByRole("searchbox", { name: "Filter the clients" }), "b");
  await waitFor(() => expect(shown()).toBe("batch,web"));
  expect(screen.queryByRole("button", { name: "Next page" })).toBeNull();
  await user.type(screen.getByRole("searchbox"), "oo");
  expect(await screen.findByText("No client fits.")).toBeTruthy();
});
