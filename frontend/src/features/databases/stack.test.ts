import { expect, it } from "vitest";
import { RingBuffer } from "@/charts/ringBuffer";
import { ownOf, stacked, topOf } from "./stack";

const sizes = (rows: readonly (readonly [number, number | null])[]) => {
  const ring = new RingBuffer(["size"] as const, 10);
  for (const [second, size] of rows) ring.push(second * 1_000, { size });
  return ring;
};

/** Each row: its second, and what each domain has and reaches up to. */
function rowsOf(ring: RingBuffer<string>, domains: readonly string[]) {
  return Array.from({ length: ring.length }, (_, row) => [
    ring.time(row) / 1_000,
    ...domains.map((domain) => [ring.value(ownOf(domain), row), ring.value(topOf(domain), row)]),
  ]);
}

it("puts each domain on top of those before it", () => {
  const bank = sizes([
    [1, 4],
    [2, 6],
  ]);
  const shop = sizes([
    [1, 3],
    [2, 0],
  ]);
  const parts = [
    { domain: "bank", series: bank },
    { domain: "shop", series: shop },
  ];
  expect(rowsOf(stacked(parts, 2_500), ["bank", "shop"])).toEqual([
    [1, [4, 4], [3, 7]],
    [2, [6, 6], [0, 6]],
  ]);
});

it("holds what a domain had last for a gap, and then adds nothing of it", () => {
  const bank = sizes([1, 2, 3, 4].map((second) => [second, 5] as const));
  const late = sizes([[1, 2]]);
  const parts = [
    { domain: "late", series: late },
    { domain: "bank", series: bank },
  ];
  expect(rowsOf(stacked(parts, 2_000), ["late", "bank"])).toEqual([
    [1, [2, 2], [5, 7]],
    [2, [2, 2], [5, 7]],
    [3, [2, 2], [5, 7]],
    [4, [Number.NaN, Number.NaN], [5, 5]],
  ]);
});

it("has no sum where nothing was measured, and begins with the domain that is there first", () => {
  const bank = sizes([
    [1, 5],
    [2, null],
    [3, 5],
  ]);
  const young = sizes([[3, 1]]);
  const parts = [
    { domain: "young", series: young },
    { domain: "bank", series: bank },
  ];
  const none = Number.NaN;
  expect(rowsOf(stacked(parts, 2_500), ["young", "bank"])).toEqual([
    [1, [none, none], [5, 5]],
    [2, [none, none], [none, none]],
    [3, [1, 1], [5, 6]],
  ]);
  expect(stacked([], 2_500).length).toBe(0);
});
