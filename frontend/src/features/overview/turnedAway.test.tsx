// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { live, stream } from "@/stream/browser";
import { type FakeSocket, hello, recording, snapshot, summary } from "@/stream/fixtures";
import { useRows } from "@/stream/hooks";
import { DomainTable } from "./DomainTable";
import { Wall } from "./Wall";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ to, params, children }: { to: string; params?: { domain: string }; children: React.ReactNode }) => (
    <a href={to.replace("$domain", params?.domain ?? "")}>{children}</a>
  ),
}));
vi.mock("@/charts/Spark", () => ({ Spark: () => null }));

const sockets: FakeSocket[] = [];
beforeAll(() => {
  vi.stubGlobal("WebSocket", recording(sockets));
});
afterEach(() => {
  cleanup();
  stream.stop();
  live.tellNow(); // or a timer would, once the window has gone
});

/** 214 callers of bank were turned away within the last ten minutes, and none of shop. Both are fine now. */
async function told() {
  stream.start();
  const socket = sockets.at(-1) as FakeSocket;
  socket.open();
  socket.say(hello());
  const { states, figures } = summary(["bank", "shop"], [7, 7]);
  socket.say(snapshot(1, { domains: [], summary: { states, figures: { ...figures, turnedAway: [214, 0] } } }));
  await vi.waitFor(() => expect(live.rows()).toHaveLength(2));
}

const Table = () => <DomainTable pools={useRows()} />;

it("stands beside the state of a domain on the overview, and leads to who they were", async () => {
  await told();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Table />
    </QueryClientProvider>,
  );
  const links = screen.getAllByRole("link", { name: /turned away/ });
  expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["214 turned away from bank within 10 minutes, see who they were", "/domains/bank/leases"],
  ]);
});

it("is told by the tile of the wall, of a domain that has any", async () => {
  await told();
  render(<Wall />);
  const [bank, shop] = screen.getAllByRole("listitem");
  expect(within(bank as HTMLElement).getByText("turned away, 10 min").nextSibling?.textContent).toBe("214");
  expect(within(shop as HTMLElement).queryByText("turned away, 10 min")).toBeNull();
});
