import { beforeEach, expect, it, vi } from "vitest";

let now = 0;
let frames: ((now: number) => void)[] = [];
let timer: { at: number; run: () => void } | undefined;
let shows: ((entries: { isIntersecting: boolean }[]) => void)[] = [];

beforeEach(() => {
  now = 0;
  frames = [];
  timer = undefined;
  shows = [];
  vi.resetModules();
  vi.stubGlobal("performance", { now: () => now });
  vi.stubGlobal("requestAnimationFrame", (run: (now: number) => void) => frames.push(run));
  vi.stubGlobal("setTimeout", (run: () => void, ms: number) => {
    timer = { at: now + ms, run };
  });
  vi.stubGlobal("clearTimeout", () => {
    timer = undefined;
  });
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

/** The time comes, and the browser shows a frame if one was asked for. */
function frame(at: number): void {
  now = at;
  if (timer && timer.at <= now) timer.run();
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
  frame(1_040);
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

it("asks for no frame between two turns, and for none when nothing is left to draw", async () => {
  const { drawn, stops } = await charts(1);
  frame(1_000);
  frame(1_016); // a turn of its own, since the first was asked for
  expect(drawn).toEqual([0, 0]);
  expect(frames).toEqual([]);
  frame(1_200);
  expect(frames).toEqual([]);
  expect(drawn).toEqual([0, 0]);
  frame(1_266);
  expect(drawn).toEqual([0, 0, 0]);
  stops[0]?.();
  expect(frames).toEqual([]);
  expect(timer).toBeUndefined();
});

it("goes on with the others after a fault of one, and ends with the one that takes itself away", async () => {
  const { whileVisible } = await import("./redraw");
  let isBroken = true;
  let drawn = 0;
  const stop = whileVisible({} as Element, () => {
    if (isBroken) throw new Error("a chart's own");
    drawn++;
    if (drawn === 2) stop();
  });
  for (const show of shows) show([{ isIntersecting: true }]);
  expect(() => frame(1_000)).toThrow("a chart's own");
  isBroken = false;
  frame(1_016);
  expect(drawn).toBe(1);
  frame(1_300);
  expect(drawn).toBe(2);
  expect(frames).toEqual([]);
  expect(timer).toBeUndefined();
});

it("leaves out what would be drawn as it was, for a second at most, except for who asks for it now", async () => {
  const { drawNow, whileVisible } = await import("./redraw");
  const element = {} as Element;
  const dataset = { mantineColorScheme: "light" };
  vi.stubGlobal("document", { documentElement: { dataset } });
  const shown = { until: 0, spanMs: 100_000, width: 100, of: ["a series"] };
  let drawn = 0;
  whileVisible(
    element,
    () => {
      drawn++;
    },
    () => ({ ...shown }),
  );
  for (const show of shows) show([{ isIntersecting: true }]);
  frame(1_000);
  shown.until = 999; // a pixel is 1,000 ms
  frame(1_300);
  frame(1_600);
  expect(drawn).toBe(1);
  drawNow(element);
  expect(drawn).toBe(2);
  shown.until = 1_000;
  frame(1_900);
  expect(drawn).toBe(3);
  shown.of = ["another"];
  frame(2_200);
  expect(drawn).toBe(4);
  dataset.mantineColorScheme = "dark";
  frame(2_500);
  expect(drawn).toBe(5);
  frame(2_800);
  expect(drawn).toBe(5);
  frame(3_600);
  expect(drawn).toBe(6);
});
