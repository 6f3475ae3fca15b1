// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { live } from "@/stream/browser";
import { LIVE } from "./range";
import { useSeries } from "./series";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const at = (seconds: number) => new Date(NOON + seconds * 1_000).toISOString();

/** What the service keeps: two rows from the asked begin on, or none before noon. */
let asked: (string | null)[] = [];
let parts: (string | null)[][] = [];
vi.stubGlobal("fetch", ({ url }: Request) => {
  const from = new URL(url).searchParams.get("from");
  asked.push(from);
  parts.push([from, new URL(url).searchParams.get("to")]);
  const kept = Date.parse(from ?? "") >= NOON;
  const seconds = (Date.parse(from ?? "") - NOON) / 1_000;
  return Promise.resolve(
    Response.json({
      time: kept ? [at(seconds + 10), at(seconds + 20)] : [],
      columns: { size: kept ? [4, 5] : [] },
      markers: [{ time: at(seconds + 15), revision: 7, actor: "admin" }],
      stepMs: 10_000,
      total: null,
    }),
  );
});
beforeEach(() => {
  asked = [];
  parts = [];
  live.series("bank").clear();
});

const render = (...parameters: Parameters<typeof useSeries>) => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  );
  return renderHook(() => useSeries(...parameters), { wrapper }).result;
};
const fixed = { kind: "fixed", from: NOON + 60_000, to: NOON + 120_000 } as const;
const sizes = (series: ReturnType<ReturnType<typeof useSeries>["source"]>["series"]) =>
  Array.from({ length: series.length }, (_, row) => [series.time(row), series.value("size", row)]);

it("has what the service keeps of a fixed range, and nothing of the present", async () => {
  live.series("bank").push(NOON + 3_600_000, { size: 99 });
  const result = render("bank", fixed);
  expect(sizes(result.current.source().series)).toEqual([]);
  await waitFor(() => expect(result.current.history.isSuccess).toBe(true));
  const { series, until, spanMs, gapMs } = result.current.source();
  expect(sizes(series)).toEqual([
    [NOON + 70_000, 4],
    [NOON + 80_000, 5],
  ]);
  expect({ until, spanMs, gapMs }).toEqual({ until: fixed.to, spanMs: 60_000, gapMs: 25_000 });
  expect(result.current.revisions?.map(({ time, said }) => [time, said])).toEqual([[NOON + 75_000, "rev 7 by admin"]]);
  expect(result.current.isEmpty).toBe(false);
});

it("says that nothing is kept", async () => {
  const result = render("bank", { kind: "fixed", from: NOON - 120_000, to: NOON - 60_000 });
  await waitFor(() => expect(result.current.isEmpty).toBe(true));
});

it("asks for an earlier range that is drawn beneath, as far back as it lies", async () => {
  const result = render("bank", fixed, { name: "the range before", backMs: 60_000 });
  await waitFor(() => expect(result.current.then.isSuccess).toBe(true));
  const earlier = result.current.earlier?.();
  expect(earlier && sizes(earlier.series)).toEqual([
    [NOON + 10_000, 4],
    [NOON + 20_000, 5],
  ]);
  expect(earlier).toMatchObject({ name: "the range before", shiftMs: 60_000, gapMs: 25_000 });
});

it("asks for no more of a shorter one, such as the time of a revision", async () => {
  const result = render("bank", fixed, { name: "rev 6", backMs: 60_000, lengthMs: 15_000 });
  await waitFor(() => expect(result.current.then.isSuccess).toBe(true));
  expect(parts).toContainEqual([at(0), at(15)]);
});

it("takes the stream where that has it all, and asks the service for nothing", () => {
  live.series("bank").push(NOON, { size: 3 });
  for (const range of [LIVE, { kind: "last", preset: "5m" }] as const) {
    const result = render("bank", range);
    expect(sizes(result.current.source().series)).toEqual([[NOON, 3]]);
    expect(result.current.revisions).toBeNull();
  }
  expect(asked).toEqual([]);
});
