// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { stream } from "@/stream/browser";
import { FakeSocket } from "@/stream/fixtures";
import { OverviewHeadline } from "./Headline";
import { Wall } from "./Wall";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));

const sockets: FakeSocket[] = [];
beforeAll(() => {
  vi.stubGlobal(
    "WebSocket",
    class extends FakeSocket {
      constructor() {
        super();
        sockets.push(this);
      }
    },
  );
});
afterEach(() => {
  cleanup();
  stream.stop();
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
