// @vitest-environment jsdom
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { stream } from "@/stream/browser";
import { type FakeSocket, recording, snapshot } from "@/stream/fixtures";
import { Gate } from "./Gate";

const sockets: FakeSocket[] = [];
const service = setupServer(http.get("*/api/v1/session", () => HttpResponse.json({ name: "admin", role: "admin" })));
beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
  // Nothing is drawn, as in a hidden tab.
  vi.stubGlobal("requestAnimationFrame", () => 0);
  vi.stubGlobal("WebSocket", recording(sockets));
});
afterEach(() => {
  cleanup();
  sockets.length = 0;
});
afterAll(() => service.close());

let answers = 0;
function Fetched() {
  const { data } = useQuery({ queryKey: ["fetched"], queryFn: () => ++answers });
  return <p>fetched {data}</p>;
}

function goLive(): void {
  sockets.at(-1)?.open();
  sockets.at(-1)?.say(snapshot(1));
}

it("opens the stream while it asks for the session", async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Gate>in</Gate>
    </QueryClientProvider>,
  );
  expect(sockets).toHaveLength(1);
  sockets[0]?.open();
  expect(screen.queryByText("in")).toBeNull();
  expect(sockets[0]?.sent).toEqual([]);
  await screen.findByText("in");
  await waitFor(() => expect(sockets[0]?.sent).toHaveLength(1));
  expect(sockets).toHaveLength(1);
});

it("fetches everything again when the stream is back, however short the loss was", async () => {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { staleTime: 60_000 } } })}>
      <Gate>
        <Fetched />
      </Gate>
    </QueryClientProvider>,
  );
  await screen.findByText("fetched 1");
  goLive();
  expect(answers).toBe(1); // what was read a moment ago is not read again
  sockets.at(-1)?.die();
  stream.retryNow();
  expect(sockets).toHaveLength(2);
  goLive();
  await waitFor(() => expect(screen.getByText("fetched 2")).toBeTruthy());
});
