// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { live, stream } from "@/stream/browser";
import { delta, type FakeSocket, hello, pool, recording, snapshot, summary } from "@/stream/fixtures";
import { DomainHeader } from "./Header";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));

const service = setupServer(
  http.get("*/api/v1/domains/bank", () => HttpResponse.json({ name: "bank", labels: {}, tier: null, managedBy: null })),
);
const sockets: FakeSocket[] = [];
beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
  vi.stubGlobal("WebSocket", recording(sockets));
});
afterEach(() => {
  cleanup();
  stream.stop();
  live.tellNow(); // or a timer would, once the window has gone
});
afterAll(() => service.close());

const SINCE = { severity: "warning", since: "2026-11-21T11:59:00Z" };
const REFUSING = "bank has been draining and refusing requests";
const DRAINING = {
  health: { ...SINCE, code: "draining", label: "draining", sentence: REFUSING, reach: "domain" },
  alarms: [{ ...SINCE, code: "draining", message: REFUSING }],
};

/** The header of bank. Returns what breaks its stream. */
async function shown(more: object = {}) {
  stream.start();
  const socket = sockets.at(-1) as FakeSocket;
  socket.open();
  socket.say(hello());
  socket.say(snapshot(1, { domains: [pool("bank", more)], summary: summary(["bank"], [7]) }));
  await new Promise<void>((told) => {
    const end = live.subscribe(() => {
      end();
      told();
    });
  });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <DomainHeader domain="bank" />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return () => act(() => socket.die());
}

it("says of the state that it was so when last seen, once the stream is lost", async () => {
  const lose = await shown();
  expect(screen.getByText("bank is fine")).toBeTruthy();
  lose();
  expect(await screen.findByText("When last seen: bank is fine")).toBeTruthy();
  expect(screen.getByText("fine").closest(".live-data")).not.toBeNull();
});

it("says of an alarm that it was so when last seen, once the stream is lost", async () => {
  const lose = await shown(DRAINING);
  expect(screen.getByText(/^bank has been draining/)).toBeTruthy();
  lose();
  expect(await screen.findByText(/^When last seen: bank has been draining/)).toBeTruthy();
});

it("says of a pool's state what the overview says, and lists the alarms with what else is known of them", async () => {
  const full = {
    code: "at-ceiling",
    message: "bank has been held at its latency cap",
    detail: "it may hold 7 connections",
    severity: "warning",
    since: "2026-11-21T11:58:00Z",
  };
  await shown({ ...DRAINING, alarms: [full, ...DRAINING.alarms] });
  const line = screen.getByRole("button", { name: /^bank has been draining and refusing requests for / });
  expect(line.className).toBe("warn");
  await userEvent.setup().click(line);
  const [first, second] = within(await screen.findByRole("list", { name: "Alarms" })).getAllByRole("listitem");
  expect(first?.textContent).toMatch(/^bank has been draining and refusing requests for /);
  expect(second?.textContent).toContain("it may hold 7 connections");
});

it("says of what is over until when it was so", async () => {
  const over = { code: "at-ceiling", severity: "notice", since: "2026-11-21T11:58:00Z", until: "2026-11-21T11:59:48Z" };
  const sentence = "bank was held at its latency cap";
  await shown({
    health: { ...over, label: "recovered", sentence, reach: "domain" },
    alarms: [{ ...over, message: sentence }],
  });
  expect(screen.getByRole("button", { name: /^bank was held at its latency cap until .* ago$/ }).className).toBe(
    "muted",
  );
  expect(screen.getByText(/^recovered .* ago$/)).toBeTruthy();
});

it("is calm about a pause that nobody suffers from", async () => {
  const paused = { severity: "notice", since: "2026-11-21T11:59:00Z", code: "paused" };
  const sentence = "bank has been paused";
  await shown({
    health: { ...paused, label: "paused", sentence, reach: "domain" },
    alarms: [{ ...paused, message: sentence }],
  });
  const line = screen.getByRole("button", { name: /^bank has been paused for / });
  expect(line.className).toBe("muted");
});

it("says in a question how old its figures are, once the stream is lost", async () => {
  const lose = await shown({ arrivalsPerSecond: 52 });
  await userEvent.setup().click(screen.getByRole("button", { name: "Pause" }));
  const dialog = await screen.findByRole("dialog", { name: "Pause bank?" });
  expect(dialog.textContent).toContain("52 a second arrive");
  expect(dialog.textContent).not.toContain("old");
  lose();
  expect((await screen.findByRole("status")).textContent).toMatch(/these figures are \d+ s old/);
});

it("says beside the state what was done, and no longer than the stream says so", async () => {
  service.use(http.post("*/api/v1/domains/bank/drain", () => HttpResponse.json(pool("bank", DRAINING))));
  const user = userEvent.setup();
  await shown();
  await user.click(screen.getByRole("button", { name: "Drain" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Drain bank" }));
  const line = await screen.findByText(/^Draining until you resume/);
  expect(line.getAttribute("role")).toBe("status");
  expect(screen.getByText("bank is fine")).toBeTruthy();

  const socket = sockets.at(-1) as FakeSocket;
  await act(async () => socket.say(delta(2, 250, { domains: [pool("bank", { ...DRAINING, state: "draining" })] })));
  expect(await screen.findByRole("button", { name: /^bank has been draining/ })).toBeTruthy();
  expect(screen.getByText(/^Draining until you resume/)).toBeTruthy();

  await act(async () => socket.say(delta(3, 500, { domains: [pool("bank")] })));
  expect(await screen.findByText("bank is fine")).toBeTruthy();
  expect(screen.queryByText(/^Draining until you resume/)).toBeNull();
});

it("explains its actions to whoever has no pointer to rest on them", async () => {
  await shown();
  const help = screen.getByRole("button", { name: "About these actions" }).getAttribute("aria-description");
  expect(help?.split("\n").map((line) => line.split(":")[0])).toEqual(["Pause", "Flush", "Drain"]);
  cleanup();
  await shown({ state: "drained" });
  const one = screen.getByRole("button", { name: "About this action" }).getAttribute("aria-description");
  expect(one).toBe("Resume: lets requests pass again.");
});
