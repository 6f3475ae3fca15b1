import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { steady } from "./steady";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

it("is the same for those who read it at different moments of a second", () => {
  const second = steady(Date.now, 1_000);
  const first = second.now();
  const told = vi.fn();
  second.subscribe(told);
  vi.advanceTimersByTime(990);
  expect(second.now()).toBe(first);
  expect(told).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10);
  expect(told).toHaveBeenCalledTimes(1);
  expect(second.now()).toBe(1_000);
});

it("turns for all who listen at once, whenever they came", () => {
  const second = steady(Date.now, 1_000);
  const seen: number[][] = [[], []];
  second.subscribe(() => seen[0]?.push(second.now()));
  vi.advanceTimersByTime(600);
  second.subscribe(() => seen[1]?.push(second.now()));
  vi.advanceTimersByTime(2_000);
  expect(seen).toEqual([
    [1_000, 2_000],
    [1_000, 2_000],
  ]);
});

it("has no timer while nobody listens, and is not old then either", () => {
  const second = steady(Date.now, 1_000);
  const leave = second.subscribe(() => {});
  vi.advanceTimersByTime(1_000);
  leave();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(5_000);
  expect(second.now()).toBe(6_000);
});
