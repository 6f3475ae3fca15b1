import { beforeEach, expect, it, vi } from "vitest";

let now = 0;
let frames: ((now: number) => void)[] = [];
let shows: ((entries: { isIntersecting: boolean }[]) => void)[] = [];

beforeEach(() => {
  now = 0;
  frames = [];
  shows = [];
  vi.resetModules();
  vi.stubGlobal("performance", { now: () => now });
  vi.stubGlobal("requestAnimationFrame", (run: (now: number) => void) => frames.push(run));
  vi.stubGlobal("cancelAnimationFrame", () => {
    frames = [];
  });
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(show: (typeof shows)[number]) {
        shows.push(show);
      }
      observe() {}
      disconnect() {}
    },
  );
});

function frame(at: number): void {
  now = at;
  for (const run of frames.splice(0)) run(at);
}

/** Charts that take so long to draw each, all of them visible. Returns what was drawn. */
async function charts(...tookMs: number[]) {
  const { whileVisible } = await import("./redraw");
  const drawn: number[] = [];
  const stops = tookMs.map((took, chart) =>
    whileVisible({} as Element, () => {
      now += took;
      drawn.push(chart);
    }),
  );
  for (const show of shows) show([{ isIntersecting: true }]);
  return { drawn, stops };
}

it("leaves what does not fit into a frame to the next, and begins anew after its interval", async () => {
  const { drawn } = await charts(20, 20, 20);
  expect(drawn).toEqual([]);
  frame(1_000);
  expect(drawn).toEqual([0, 1]);
  frame(1_016);
  expect(drawn).toEqual([0, 1, 2]);
  drawn.length = 0;
  frame(1_032);
  frame(1_048);
  expect(drawn).toEqual([0, 1, 2]);
  frame(1_100);
  expect(drawn).toEqual([0, 1, 2]);
  frame(1_300);
  expect(drawn).toEqual([0, 1, 2, 0, 1]);
});

it("draws a chart that takes longer than a frame alone in it, and none that has gone meanwhile", async () => {
  const { drawn, stops } = await charts(60, 1, 1);
  frame(1_000);
  expect(drawn).toEqual([0]);
  stops[1]?.();
  frame(1_016);
  expect(drawn).toEqual([0, 2]);
});
