import { expect, it } from "vitest";
import { lifeOf, nameOf } from "./life";

const NOW = Date.parse("2026-11-29T12:00:00Z");
const MINUTE = 60_000;
const opened = (minutes: number) => new Date(NOW - minutes * MINUTE).toISOString();

it.each([
  [0, "The last 5 min"],
  [5, "The last 5 min"],
  [5.1, "The last 15 min"],
  [59, "The last hour"],
  [61, "The last 6 h"],
  [1_000, "The last day"],
  [10_000, "The last day"],
])("shows the whole life of a connection of %d minutes, as far as it is kept", (minutes, name) => {
  expect(nameOf(lifeOf(opened(minutes), NOW))).toBe(name);
});

it("shows a day of a connection that nobody knows any more", () => {
  expect(lifeOf(undefined, NOW)).toEqual({ lastMs: 1_440 * MINUTE });
});

it("is one object for one span, so that a chart is not loaded anew", () => {
  expect(lifeOf(opened(1), NOW)).toBe(lifeOf(opened(2), NOW));
});
