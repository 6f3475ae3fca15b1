// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Overlay } from "./overlay";
import { drawNow } from "./redraw";
import { RingBuffer } from "./ringBuffer";
import { Spark } from "./Spark";
import { TimeChart } from "./TimeChart";

let written: string[] = [];
let dots = 0;

/** A context that tells what is written on it. */
const context = (canvas: HTMLCanvasElement) =>
  new Proxy<Record<string | symbol, unknown>>(
    {
      canvas,
      measureText: (text: string) => ({ width: 6 * text.length }),
      fillText: (text: string) => void written.push(text),
      arc: () => void dots++,
    },
    { get: (of, name) => (name in of ? of[name] : () => {}) },
  );

let observed: Element[] = [];

class Observer {
  observe(element: Element) {
    observed.push(element);
  }
  unobserve() {}
  disconnect() {}
}
vi.stubGlobal("IntersectionObserver", Observer);
Element.prototype.getBoundingClientRect = () => ({ width: 400, height: 200 }) as DOMRect;
HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement) {
  return context(this);
} as never;
afterEach(() => {
  cleanup();
  observed = [];
});

type Values = readonly (number | null)[];

/** One value a second. */
function series(values: Values) {
  const ring = new RingBuffer(["p99Ms"] as const, 100);
  for (const [i, p99Ms] of values.entries()) ring.push(1_000 * (i + 1), { p99Ms });
  return ring;
}

/** A chart whose code has arrived, out of sight. */
async function unseen(values: Values, overlay: Overlay = {}) {
  const ring = series(values);
  const until = 1_000 * values.length;
  render(
    <MantineProvider env="test">
      <TimeChart
        label="Latency"
        lines={[{ column: "p99Ms", label: "p99", color: "--c1", keep: "max" }]}
        source={() => ({ series: ring, until, spanMs: until, gapMs: 2_500, now: until })}
        overlay={() => overlay}
        format={(value) => `${value} ms`}
        zone="utc"
        height={200}
        nothing="No statements in this range"
      />
    </MantineProvider>,
  );
  const group = screen.getByRole("group", { name: "Latency" });
  const canvas = group.querySelector("canvas") as HTMLCanvasElement;
  await import("./timeCanvas");
  return { group, canvas };
}

/** What is written on the chart, and its sentence. */
async function drawn(values: Values, overlay: Overlay = {}) {
  const { group, canvas } = await unseen(values, overlay);
  await vi.waitFor(
    () => {
      drawNow(canvas);
      expect(canvas.dataset.rows).toBeDefined();
    },
    { timeout: 30_000 },
  );
  written = [];
  drawNow(canvas);
  const description = document.getElementById(group.getAttribute("aria-describedby") ?? "");
  return { written, description: description?.textContent ?? "" };
}

const NOTHING = "No statements in this range";

it("says in the plot and to a screen reader that nothing was measured", async () => {
  const chart = await drawn([null, null, null]);
  expect(chart.written).toContain(NOTHING);
  expect(chart.description).toBe(`${NOTHING}.`);
});

it("does not say so where something was measured, or no row has come yet", async () => {
  expect((await drawn([null, 4, null])).written).not.toContain(NOTHING);
  cleanup();
  expect((await drawn([])).written).not.toContain(NOTHING);
});

it("has every cap of the range on its axis, with a label at each step", async () => {
  const named = { name: "cap (p99)" };
  const caps = [
    { ...named, from: 0, to: 30_000, y: 80, label: "cap 80 ms (p99)" },
    { ...named, from: 30_000, to: Number.MAX_SAFE_INTEGER, y: 20, label: "cap 20 ms (p99)" },
  ];
  const { written } = await drawn(
    Array.from({ length: 60 }, () => 5),
    { caps },
  );
  expect(written).toContain("cap 80 ms (p99)");
  expect(written).toContain("cap 20 ms (p99)");
  expect(written).toContain("100 ms");
});

it("draws a dot in a spark for a point that no line leads to", () => {
  const ring = series([null, null, 4, ...Array.from({ length: 17 }, () => null)]);
  render(
    <Spark source={() => ({ series: ring, until: 20_000, spanMs: 20_000 })} column="p99Ms" color="--c1" label="p99" />,
  );
  dots = 0;
  drawNow(screen.getByRole("img", { name: "p99" }));
  expect(dots).toBe(1);
});

it("is made when it is first drawn, and not on a part of the page that nobody looks at", async () => {
  const { canvas } = await unseen([4, 5, 6]);
  const { Chart } = await import("chart.js");
  await vi.waitFor(() => expect(observed).toContain(canvas), { timeout: 30_000 });
  expect(Chart.getChart(canvas)).toBeUndefined();
  drawNow(canvas);
  expect(Chart.getChart(canvas)).toBeDefined();
});
