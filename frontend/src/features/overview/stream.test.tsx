// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { live, stream } from "@/stream/browser";
import { type FakeSocket, hello, recording, snapshot, summary } from "@/stream/fixtures";
import { OverviewHeadline } from "./Headline";
import { Wall } from "./Wall";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));

const sockets: FakeSocket[] = [];
beforeAll(() => {
  vi.stubGlobal("WebSocket", recording(sockets));
});
afterEach(() => {
  cleanup();
  stream.stop();
  live.tellNow(); // or a timer would, once the window has gone
});

it("claims nothing of the domains when the stream never opens, and says what may be in its way", () => {
  stream.start();
  sockets.at(-1)?.die();
  render(<OverviewHeadline />);
  expect(screen.getByRole("heading").textContent).toBe("Waiting for the first data…");
  cleanup();
  render(<Wall />);
  expect(screen.getByTestId("wall-headline").textContent).toBe("Waiting for the first data");
  expect(screen.getByRole("alert").textContent).toContain("must pass WebSocket connections");
});

it("says of the state that it was so when last seen, once the stream is lost", async () => {
  stream.start();
  const socket = sockets.at(-1);
  socket?.open();
  socket?.say(hello());
  socket?.say(snapshot(1, { summary: summary(["bank"], [7]) }));
  await vi.waitFor(() => expect(live.pools()).toHaveLength(1));
  const titles = () =>
    [<OverviewHeadline key="overview" />, <Wall key="wall" />].map((page) => {
      render(page);
      const title = screen.getByRole("heading").textContent;
      cleanup();
      return title;
    });
  expect(titles()).toEqual(["bank is fine", "bank is fine"]);
  socket?.die();
  expect(titles()).toEqual(["When last seen: bank is fine", "When last seen: bank is fine"]);
});
