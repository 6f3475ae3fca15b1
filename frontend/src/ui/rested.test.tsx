// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

let listeners: Set<() => void>;
let live: { hasSnapshot: boolean; subscribe: (listener: () => void) => () => void };

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  listeners = new Set();
  live = {
    hasSnapshot: false,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  vi.doMock("@/stream/browser", () => ({ live }));
  // In jsdom there is none: a page at rest runs it as soon as it may.
  vi.stubGlobal("requestIdleCallback", (run: () => void) => setTimeout(run, 0));
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function page() {
  const { useRested } = await import("./rested");
  const Page = () => <p>{useRested() ? "rested" : "opening"}</p>;
  render(<Page />);
}

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const told = () =>
  act(() => {
    live.hasSnapshot = true;
    for (const listener of [...listeners]) listener();
  });

it("waits for what the stream tells first, and for a moment after it", async () => {
  await page();
  pass(1_000);
  expect(screen.queryByText("opening")).not.toBeNull();
  told();
  pass(300);
  expect(screen.queryByText("opening")).not.toBeNull();
  pass(200);
  expect(screen.queryByText("rested")).not.toBeNull();
  expect(listeners.size).toBe(0);
});

it("does not wait for ever for a stream that tells nothing", async () => {
  await page();
  pass(2_900);
  expect(screen.queryByText("opening")).not.toBeNull();
  pass(600);
  expect(screen.queryByText("rested")).not.toBeNull();
});

it("is true at once for a part of the page that appears later", async () => {
  live.hasSnapshot = true;
  await page();
  pass(500);
  cleanup();
  await page();
  expect(screen.queryByText("rested")).not.toBeNull();
});
