// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { LoggedAlarm } from "@/api/types";
import { AlarmList } from "./AlarmList";

const alarm = (id: string, more: Partial<LoggedAlarm> = {}): LoggedAlarm => ({
  id,
  reach: "domain",
  database: "main",
  domain: "bank",
  domains: [],
  code: "at-ceiling",
  message: `alarm ${id}`,
  detail: "",
  severity: "warning",
  since: "2026-11-21T12:00:00Z",
  lastSeen: "2026-11-21T12:01:00Z",
  clearing: null,
  cleared: null,
  cutOff: false,
  times: 1,
  acknowledged: null,
  silenced: null,
  ...more,
});

let alarms: LoggedAlarm[] = [];
let asked: string[] = [];
let away = false;
let sent: { path: string; body: unknown }[] = [];
const unattended = () =>
  alarms.filter((one) => one.severity !== "notice" && !one.cleared && !one.acknowledged && !one.silenced).length;
const change = (id: string, by: Partial<LoggedAlarm>) => {
  alarms = alarms.map((one) => (one.id === id ? { ...one, ...by } : one));
  return HttpResponse.json(alarms.find((one) => one.id === id));
};
const service = setupServer(
  http.get("*/api/v1/alarms", ({ request }) => {
    const { search, searchParams } = new URL(request.url);
    asked.push(search);
    const open = searchParams.get("state") === "open";
    if (away) return HttpResponse.json({ title: "The control store is away", status: 503 }, { status: 503 });
    const [domain, code] = [searchParams.get("domain"), searchParams.get("code")];
    const fits = (one: LoggedAlarm) => (!domain || one.domain === domain) && (!code || one.code === code);
    const all = alarms.filter((one) => (one.cleared === null) === open && fits(one));
    const from = Number(searchParams.get("cursor") ?? 0);
    const next = from + 2 < all.length ? String(from + 2) : null;
    return HttpResponse.json({ items: all.slice(from, from + 2), nextCursor: next, unattended: unattended(), lost: 0 });
  }),
  http.post("*/api/v1/alarms/:id/acknowledge", async ({ request, params }) => {
    const body = (await request.json()) as { reason: string };
    sent.push({ path: `${params.id}/acknowledge`, body });
    return change(String(params.id), { acknowledged: { time: "2026-11-21T12:02:00Z", actor: "admin", ...body } });
  }),
  http.post("*/api/v1/alarms/:id/silence", async ({ request, params }) => {
    const body = (await request.json()) as { reason: string };
    sent.push({ path: `${params.id}/silence`, body });
    return change(String(params.id), { silenced: { until: "2999-01-01T00:00:00Z", actor: "admin", ...body } });
  }),
  http.delete("*/api/v1/alarms/:id/silence", ({ params }) => {
    sent.push({ path: `${params.id}/silence`, body: null });
    change(String(params.id), { silenced: null });
    return new HttpResponse(null, { status: 204 });
  }),
);

beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
  vi.stubGlobal("scrollTo", () => {});
});
beforeEach(() => {
  alarms = [];
  asked = [];
  away = false;
  sent = [];
});
afterEach(cleanup);
afterAll(() => service.close());

function show(filter = {}) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const onFilter = vi.fn();
  const root = createRootRoute({
    component: () => (
      <MantineProvider env="test">
        <QueryClientProvider client={queries}>
          <AlarmList filter={filter} onFilter={onFilter} />
        </QueryClientProvider>
      </MantineProvider>
    ),
  });
  render(<RouterProvider router={createRouter({ routeTree: root, history: createMemoryHistory() }) as never} />);
  /** As the stream's event does. */
  const news = () => queries.invalidateQueries({ queryKey: ["alarms"] });
  return { user: userEvent.setup(), onFilter, news };
}

it("names some of the domains that an alarm of the service stands on, or says that it concerns all", async () => {
  const ofService = { reach: "service", domain: null, database: null } as const;
  alarms = [
    alarm("convoy", { ...ofService, domains: ["auction", "bank", "depot", "shop", "yard"] }),
    alarm("heap", { ...ofService }),
  ];
  show();
  const [convoy, heap] = within(await screen.findByTestId("open-alarms")).getAllByRole("listitem");
  expect(convoy!.textContent).toContain("auction, bank, depot and 2 more");
  expect(within(convoy!).getByRole("link", { name: "depot" }).getAttribute("href")).toBe("/domains/depot");
  expect(heap!.textContent).toContain("all domains");
});

it("shows open alarms with where, since when and how often, and past ones beneath", async () => {
  alarms = [
    alarm("one", { times: 9 }),
    alarm("two", { reach: "database", domain: null, code: "unreachable", severity: "critical" }),
    alarm("gone", { cleared: "2026-11-21T12:02:00Z" }),
  ];
  show();
  const open = await screen.findByTestId("open-alarms");
  const [first, second] = within(open).getAllByRole("listitem");
  expect(within(first!).getByRole("link", { name: "bank" }).getAttribute("href")).toBe("/domains/bank");
  expect(first!.textContent).toContain("came 9 times");
  expect(first!.dataset.tone).toBe("warn");
  expect(within(second!).getByRole("link", { name: "main" }).getAttribute("href")).toBe("/databases/main");
  expect(second!.dataset.tone).toBe("bad");
  expect(screen.getByText("2 unattended")).toBeTruthy();
  const past = await screen.findByTestId("past-alarms");
  expect(past.textContent).toContain("alarm gone.");
  expect(past.textContent).toContain("lasted 1 min");
  expect(within(past).getByRole("link", { name: "bank" }).getAttribute("href")).toMatch(
    /^\/domains\/bank\?from=.*2026-11-21T11%3A55%3A00Z.*&to=.*2026-11-21T12%3A0/,
  );
  expect(within(past).queryByRole("button")).toBeNull();
});

it("shows what is known of an alarm beside its sentence, and a notice without alarm", async () => {
  alarms = [
    alarm("one", { detail: "it may hold 7 connections" }),
    alarm("two", { code: "paused", severity: "notice", message: "bank has been paused" }),
  ];
  show();
  const open = await screen.findByTestId("open-alarms");
  const [first, second] = within(open).getAllByRole("listitem");
  expect(first!.textContent).toContain("alarm one: it may hold 7 connections.");
  expect(second!.textContent).toContain("‖");
  expect(second!.dataset.tone).toBe("");
  expect(screen.getByText("1 unattended")).toBeTruthy();
});

it("acknowledges with a reason, and asks no second time", async () => {
  alarms = [alarm("one")];
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Acknowledge at ceiling of bank…" }));
  await user.type(await screen.findByLabelText("Reason"), " I am on it ");
  await user.click(screen.getByRole("button", { name: "Acknowledge" }));
  await screen.findByText(/acknowledged by admin: “I am on it”, 2026-11-21 12:02:00$/);
  expect(sent).toEqual([{ path: "one/acknowledge", body: { reason: "I am on it" } }]);
  expect(screen.queryByRole("button", { name: /^Acknowledge/ })).toBeNull();
  expect(screen.getByText("none needs you")).toBeTruthy();
});

it("silences for a time and a reason, which it asks for", async () => {
  alarms = [alarm("one")];
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Silence at ceiling of bank…" }));
  await user.click(await screen.findByRole("button", { name: "Silence" }));
  expect((await screen.findByRole("alert")).textContent).toContain("is missing");
  expect(sent).toEqual([]);
  await user.click(screen.getByRole("radio", { name: "4 h" }));
  await user.type(screen.getByLabelText("Reason"), "a drill");
  await user.click(screen.getByRole("button", { name: "Silence" }));
  await screen.findByText(/silent for .* more by admin: “a drill”, until 2999-01-01 00:00:00$/);
  expect(sent).toEqual([{ path: "one/silence", body: { reason: "a drill", forMinutes: 240 } }]);
});

it("keeps what is being written of an alarm that ends, and says that it ended", async () => {
  for (const [open, send] of [
    ["Acknowledge at ceiling of bank…", "Acknowledge"],
    ["Silence at ceiling of bank…", "Silence"],
  ] as const) {
    alarms = [alarm("one")];
    const { user, news } = show();
    await user.click(await screen.findByRole("button", { name: open }));
    await user.type(await screen.findByLabelText("Reason"), "I am on it");
    change("one", { cleared: "2026-11-21T12:02:00Z" });
    await news();
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByText(/^It ended at 2026-11-21 12:02:00: there is nothing to/);
    expect((dialog.getByLabelText("Reason") as HTMLInputElement).value).toBe("I am on it");
    expect((dialog.getByRole("button", { name: send }) as HTMLButtonElement).disabled).toBe(true);
    await user.click(dialog.getByRole("button", { name: "Cancel" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    cleanup();
  }
  expect(sent).toEqual([]);
});

it("says who acknowledged an alarm while somebody else was about to, and keeps the text", async () => {
  alarms = [alarm("one")];
  const { user, news } = show();
  await user.click(await screen.findByRole("button", { name: "Acknowledge at ceiling of bank…" }));
  await user.type(await screen.findByLabelText("Reason"), "I am on it");
  change("one", { acknowledged: { time: "2026-11-21T12:02:00Z", actor: "eve", reason: null } });
  await news();
  await screen.findByText("eve has acknowledged it meanwhile.");
  expect((screen.getByLabelText("Reason") as HTMLInputElement).value).toBe("I am on it");
  expect((screen.getByRole("button", { name: "Acknowledge" }) as HTMLButtonElement).disabled).toBe(true);
});

it("ends a silence", async () => {
  alarms = [alarm("one", { silenced: { until: "2999-01-01T00:00:00Z", actor: "admin", reason: "a drill" } })];
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "End the silence of at ceiling of bank" }));
  await waitFor(() => expect(screen.queryByText(/silent for/)).toBeNull());
});

it("loads older alarms on demand and passes the filter on", async () => {
  const past = ["a", "b", "c"].map((id) => alarm(id, { cleared: "2026-11-21T12:02:00Z" }));
  alarms = [alarm("stands"), ...past];
  const { user, onFilter } = show({ domain: "bank" });
  await user.click(await screen.findByRole("button", { name: "Older alarms" }));
  await waitFor(() => expect(screen.getByTestId("past-alarms").textContent).toContain("alarm c."));
  expect(screen.queryByRole("button", { name: "Older alarms" })).toBeNull();
  expect(asked.every((search) => search.includes("domain=bank"))).toBe(true);
  await user.selectOptions(screen.getByRole("combobox", { name: "Alarm" }), "paused");
  expect(onFilter).toHaveBeenCalledWith({ domain: "bank", code: "paused" });
});

it("says of a filter that fits nothing how many alarms it hides, and clears it", async () => {
  alarms = [alarm("one"), alarm("two"), alarm("gone", { cleared: "2026-11-21T12:02:00Z" })];
  const { user, onFilter } = show({ domain: "auction" });
  await screen.findByText(/No open alarm fits this filter; 2 others are open\./);
  expect(screen.getByText("No past alarm fits this filter.")).toBeTruthy();
  expect(screen.queryByText(/Nothing needs you now/)).toBeNull();
  await user.click(screen.getByRole("button", { name: "Show all alarms" }));
  expect(onFilter).toHaveBeenCalledWith({});
});

it("says that nothing needs anybody only when the service has said so", async () => {
  away = true;
  show();
  expect(await screen.findAllByRole("alert")).toHaveLength(2);
  expect(screen.queryByText(/No alarm/)).toBeNull();
  cleanup();
  away = false;
  show();
  await screen.findByText("No alarm stands. Nothing needs you now.");
  await screen.findByText("No alarm has ended yet.");
});
