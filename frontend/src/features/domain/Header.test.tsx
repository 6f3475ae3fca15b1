// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { live, stream } from "@/stream/browser";
import { type FakeSocket, hello, pool, recording, snapshot, summary } from "@/stream/fixtures";
import { DomainHeader } from "./Header";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));

const service = setupServer(http.get("*/api/v1/domains", () => HttpResponse.json({ items: [], nextCursor: null })));
const sockets: FakeSocket[] = [];
beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
  vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
  vi.stubGlobal("WebSocket", recording(sockets));
});
afterEach(() => {
  cleanup();
  stream.stop();
});
afterAll(() => service.close());

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
  const alarm = { code: "draining", message: "bank is draining", severity: "warning", since: "2026-11-21T11:59:00Z" };
  const lose = await shown({ alarms: [alarm] });
  expect(screen.getByText(/^bank is draining/)).toBeTruthy();
  lose();
  expect(await screen.findByText(/^When last seen: bank is draining/)).toBeTruthy();
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
