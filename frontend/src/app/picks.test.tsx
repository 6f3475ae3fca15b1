// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { crosshair } from "@/charts/crosshair";
import { BudgetChart } from "@/features/databases";
import { ConnectionPast } from "@/features/operate/ConnectionPast";
import { Multiples } from "@/features/overview";
import { live, serverNow, stream } from "@/stream/browser";
import { type FakeSocket, hello, recording, snapshot, summary } from "@/stream/fixtures";

const went = vi.fn();
vi.mock("@tanstack/react-router", () => ({ Link: () => null, useNavigate: () => went }));

const NOON = Date.parse("2026-11-21T12:00:00Z");
const RANGE = { kind: "fixed", from: NOON, to: NOON + 60_000 } as const;
const time = new Date(NOON + 10_000).toISOString();
const alarm = {
  id: "a",
  code: "refusing",
  message: "bank was turning callers away",
  severity: "warning",
  since: time,
  lastSeen: time,
  clearing: null,
  cleared: time,
  domain: "bank",
  database: "main",
  domains: [],
};
const deploy = { id: "d", kind: "deploy", text: "shop 4.2", author: "ci", time, domain: null, database: "main" };
const elsewhere = { ...deploy, id: "e", text: "blog 1.0", domain: "blog" };
const earlier = { ...deploy, id: "b", text: "shop 4.1", time: new Date(RANGE.from - 1_000).toISOString() };
const column = { p99Ms: [1], meanMs: [1], busy: [0.5], requests: [3], size: [3] };
const kept = {
  time: [time],
  stepMs: 1_000,
  columns: column,
  connections: [{ id: "bank-7", ...column }],
  markers: [{ time, revision: 7, actor: "admin" }],
  total: null,
};
const ANSWERS: readonly (readonly [string, unknown])[] = [
  ["/alarms", { items: [alarm], nextCursor: null, unattended: 0, lost: 0 }],
  ["/annotations", { items: [deploy, elsewhere, earlier], nextCursor: null }],
  ["/domains/bank/policies/revisions", { items: [{ revision: 7, createdAt: time, actor: "admin", policySet: {} }] }],
  ["/policies/revisions", { items: [] }],
  ["/history", kept],
];

const sockets: FakeSocket[] = [];
beforeAll(() => {
  vi.stubGlobal("WebSocket", recording(sockets));
  vi.stubGlobal("fetch", ({ url }: Request) => {
    const [, answer] = ANSWERS.find(([path]) => new URL(url).pathname.endsWith(path)) ?? [];
    return Promise.resolve(Response.json(answer ?? {}, { status: answer ? 200 : 404 }));
  });
  const Observer = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  vi.stubGlobal("IntersectionObserver", Observer);
});
beforeEach(async () => {
  went.mockClear();
  crosshair.set(null);
  stream.start();
  const socket = sockets.at(-1) as FakeSocket;
  socket.open();
  socket.say(hello());
  socket.say(snapshot(1, { domains: [], summary: summary(["bank"], [7]) }));
  await vi.waitFor(() => expect(live.rows()).toHaveLength(1));
});
afterEach(() => {
  cleanup();
  stream.stop();
  live.tellNow(); // or a timer would, once the window has gone
});

function show(page: ReactNode) {
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        {page}
      </QueryClientProvider>
    </MantineProvider>,
  );
}

/** The crosshair goes from the right edge one step to the left. */
async function pick(chart: RegExp) {
  const element = await screen.findByRole("group", { name: chart });
  fireEvent.focus(element);
  fireEvent.keyDown(element, { key: "ArrowLeft" });
  fireEvent.keyDown(element, { key: "Enter" });
  expect(element.textContent).toContain("Enter leads to the decisions around the moment under the crosshair.");
}

const AT = new Date(RANGE.to - 500).toISOString();
const CHARTS = [
  [
    "the overview's small charts",
    /^Latency of bank/,
    () => <Multiples pools={live.rows()} back={{ range: RANGE, before: null, log: false, onRange: () => {} }} />,
    { domain: "bank", at: AT },
  ],
  [
    "a database's connections",
    /^Open connections of main/,
    () => <BudgetChart database={{ name: "main", budget: 40 }} domains={["bank"]} range={RANGE} onRange={() => {}} />,
    { database: "main", at: AT },
  ],
  [
    "a connection's latency",
    /^Latency of connection bank-7/,
    () => <ConnectionPast domain="bank" id="bank-7" past={{ from: RANGE.from, to: RANGE.to }} />,
    { domain: "bank", at: AT },
  ],
] as const;

it.each(CHARTS)("leads from a moment of %s to the decisions around it", async (_, name, page, search) => {
  show(page());
  await pick(name);
  expect(went).toHaveBeenCalledWith({ to: "/decisions", search });
});

it("marks alarms, annotations and revisions on the charts of a connection", async () => {
  show(<ConnectionPast domain="bank" id="bank-7" past={{ from: RANGE.from, to: RANGE.to }} />);
  await waitFor(() => {
    const said = screen.getByTestId("markers").textContent;
    for (const mark of ["rev 7 by admin", "alarm “refusing”: bank was turning", "deploy by ci: shop 4.2"])
      expect(said).toContain(mark);
    expect(said).not.toContain("shop 4.1");
  });
});

it("marks on the overview's charts what concerns the domain, of one answer about all", async () => {
  for (const each of [deploy, elsewhere]) each.time = new Date(serverNow() - 60_000).toISOString();
  show(<Multiples pools={live.rows()} />);
  await waitFor(() => expect(screen.getByTestId("markers").textContent).toContain("deploy by ci: shop 4.2"));
  expect(screen.getByTestId("markers").textContent).not.toContain("blog 1.0");
});
