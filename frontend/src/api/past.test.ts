import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { serverNow } from "@/stream/browser";
import { historyQuery } from "./domains";
import { isUnfinished } from "./past";

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 26, 3, 5) }));
afterEach(() => void vi.useRealTimers());

const answered = (at: number) => ({ state: { dataUpdatedAt: at } }) as never;

it("asks again for a fixed range until it is over, and then no more", () => {
  const now = serverNow();
  const past = { from: now - 300_000, to: now + 60_000 };
  const { refetchInterval, staleTime } = historyQuery("bank", past);
  expect((refetchInterval as (query: never) => unknown)(answered(Date.now()))).toBe(5_000);
  expect((staleTime as (query: never) => unknown)(answered(Date.now()))).toBe(0);
  vi.advanceTimersByTime(70_000);
  expect((refetchInterval as (query: never) => unknown)(answered(Date.now()))).toBe(false);
  expect((staleTime as (query: never) => unknown)(answered(Date.now()))).toBe(Number.POSITIVE_INFINITY);
});

it("knows which answer lacks the end of its range", () => {
  const now = serverNow();
  const past = { from: now - 300_000, to: now };
  expect(isUnfinished(past, Date.now())).toBe(true);
  expect(isUnfinished(past, Date.now(), 60_000)).toBe(false);
  expect(isUnfinished({ lastMs: 60_000 }, Date.now())).toBe(true);
});
