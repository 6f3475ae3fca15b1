// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Database } from "@/api/types";
import { Drawer } from "@/ui/layers";
import { DatabaseForm } from "./DatabaseForm";

vi.mock("@/stream/hooks", () => ({
  useLive: () => [{ name: "main", open: 12 }],
  useNow: () => 0,
  useRows: () => [{ domain: "bank", database: "main", size: 12, inUse: 5 }],
}));

const main = {
  name: "main",
  host: "db",
  port: 5432,
  database: "app",
  user: "app",
  sslMode: "prefer",
  budget: 20,
  domains: ["bank"],
};
let patches: unknown[] = [];
let refusal: string | null = null;
const service = setupServer(
  http.get("*/api/v1/databases", () => HttpResponse.json({ items: [], nextCursor: null })),
  http.patch("*/api/v1/databases/main", async ({ request }) => {
    patches.push(await request.json());
    return refusal
      ? HttpResponse.json({ title: "Refused", status: 503, detail: refusal }, { status: 503 })
      : HttpResponse.json({ ...main, budget: 5 });
  }),
);
beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
});
beforeEach(() => {
  [patches, refusal] = [[], null];
});
afterEach(cleanup);
afterAll(() => service.close());

function show() {
  const done = vi.fn();
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <DatabaseForm database={main as unknown as Database} onDone={done} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), done };
}

/** Asks for a budget below what is open, and confirms it. */
async function lower() {
  const { user, done } = show();
  const budget = screen.getByLabelText("Budget");
  await user.clear(budget);
  await user.type(budget, "5");
  await user.click(screen.getByRole("button", { name: "Save changes" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: /^Lower/ }));
  return done;
}

it("sends a lower budget once, when it was confirmed", async () => {
  const done = await lower();
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
  expect(patches).toEqual([{ budget: 5 }]);
});

it("says why the service refused a lower budget, and does not ask again", async () => {
  refusal = "The control store is away.";
  const done = await lower();
  expect((await screen.findByRole("alert")).textContent).toBe("The control store is away.");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(patches).toHaveLength(1);
  expect(done).not.toHaveBeenCalled();
});

it("says at a number's field that its text is none, and does not take it for left out", async () => {
  const { user, done } = show();
  for (const label of ["Port", "Budget"])
    for (const text of ["12x", " ", "1.5"]) {
      const field = screen.getByLabelText(label) as HTMLInputElement;
      const before = field.value;
      await user.clear(field);
      await user.type(field, text);
      await user.click(screen.getByRole("button", { name: "Save changes" }));
      expect(screen.getByRole("alert").textContent).toBe("must be a whole number");
      expect(field.getAttribute("aria-invalid")).toBe("true");
      expect(field.value).toBe(text);
      await user.clear(field);
      await user.type(field, before);
    }
  expect(patches).toEqual([]);
  expect(done).not.toHaveBeenCalled();
});

it("asks before it sends settings that flush every pool", async () => {
  const user = userEvent.setup();
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <DatabaseForm database={main as unknown as Database} onDone={() => {}} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  await user.selectOptions(screen.getByLabelText("TLS"), "require");
  await user.click(screen.getByRole("button", { name: "Save changes" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Change main and flush its pools?" }));
  dialog.getByText(/12 connections are closed and opened/);
  expect(patches).toEqual([]);
  await user.click(dialog.getByRole("button", { name: "Change and flush" }));
  await waitFor(() => expect(patches).toEqual([{ sslMode: "require" }]));
});

it("does not take back what somebody else changed while it was open", async () => {
  const user = userEvent.setup();
  const form = (database: object) => (
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <DatabaseForm database={database as Database} onDone={() => {}} />
      </QueryClientProvider>
    </MantineProvider>
  );
  const queries = new QueryClient();
  const { rerender } = render(form({ ...main, domains: [] }));
  await user.clear(screen.getByLabelText("User"));
  await user.type(screen.getByLabelText("User"), "shop");
  rerender(form({ ...main, domains: [], budget: 30, sslMode: "require" }));
  await user.click(screen.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(patches).toEqual([{ user: "shop" }]));
});

it("opens with the focus on its first field", async () => {
  for (const [database, first] of [
    [undefined, "Name"],
    [main, "Host"],
  ] as const) {
    render(
      <MantineProvider env="test">
        <QueryClientProvider client={new QueryClient()}>
          <Drawer opened onClose={() => {}}>
            <DatabaseForm database={database as Database | undefined} onDone={() => {}} />
          </Drawer>
        </QueryClientProvider>
      </MantineProvider>,
    );
    const field = await screen.findByLabelText(first);
    await waitFor(() => expect(document.activeElement).toBe(field));
    cleanup();
  }
});
