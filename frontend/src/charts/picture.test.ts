// @vitest-environment jsdom
import { afterEach, expect, it, vi } from "vitest";
import { pictureOf } from "./picture";
import { whileVisible } from "./redraw";

const told: string[] = [];

/** A context that tells what is written and drawn on it. A letter is 6 px wide. */
const context = {
  measureText: (text: string) => ({ width: 6 * text.length }),
  fillText: (text: string, x: number, y: number) => void told.push(`${text} at ${x}, ${y}`),
  drawImage: (_: unknown, x: number, y: number) => void told.push(`the chart at ${x}, ${y}`),
  ...Object.fromEntries(
    ["scale", "fillRect", "beginPath", "moveTo", "lineTo", "stroke", "setLineDash"].map((name) => [name, () => {}]),
  ),
};

vi.stubGlobal(
  "IntersectionObserver",
  class {
    observe() {} // nothing is ever in sight
    disconnect() {}
  },
);
HTMLCanvasElement.prototype.getContext = (() => context) as never;
HTMLCanvasElement.prototype.toBlob = (written) => written(new Blob(["png"]));
afterEach(() => told.splice(0));

function panel(legend: string[]) {
  const element = document.createElement("section");
  const keys = legend.map((label) => `<span><i class="line"></i>${label}</span>`).join("");
  element.innerHTML = `<header><span class="legend"><span>no key</span>${keys}</span></header><canvas width="200" height="100">`;
  return element;
}

it("draws a chart that was out of sight, and then copies it", async () => {
  const element = panel([]);
  const stop = whileVisible(element.querySelector("canvas") as Element, () => told.push("drawn"));
  await pictureOf(element, "bank · Waiting");
  expect(told).toEqual(["drawn", "bank · Waiting at 12, 22", "the chart at 12, 34"]);
  stop();
});

it("has the legend between title and chart, in as many rows as it needs", async () => {
  await pictureOf(panel(["p50", "p95", "cap of main (mean)"]), "bank · Latency");
  expect(told).toEqual([
    "bank · Latency at 12, 22",
    "p50 at 31, 47",
    "p95 at 82, 47",
    "cap of main (mean) at 31, 65",
    "the chart at 12, 70",
  ]);
});
