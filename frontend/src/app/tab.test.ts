import { expect, it } from "vitest";
import type { Health } from "@/api/types";
import { iconOf, prefixOf, tabOf } from "./tab";

const pool = (severity: Health["severity"], since = "2026-11-23T12:00:00Z") => ({
  health: { code: "x", label: "x", severity, sentence: "x", since, reach: "domain" } as Health,
});

it.each([
  ["no domain", [], { tone: "good", count: 0 }],
  ["all fine", [pool("fine"), pool("fine")], { tone: "good", count: 0 }],
  ["one paused by somebody", [pool("fine"), pool("notice")], { tone: "quiet", count: 0 }],
  ["two in trouble", [pool("warning"), pool("fine"), pool("critical")], { tone: "bad", count: 0 }],
] as const)("shows the worst state: %s", (_, pools, tab) => {
  expect(tabOf(pools, 0, false)).toEqual(tab);
});

it("counts the alarms that nobody has attended to, however many domains are in trouble", () => {
  expect(tabOf([pool("warning"), pool("critical")], 3, false).count).toBe(3);
  expect(tabOf([pool("warning")], 0, false).count).toBe(0);
});

it("says nothing about the domains when the data is lost", () => {
  expect(tabOf([pool("critical")], 1, true)).toEqual({ tone: "lost", count: 0 });
});

it("counts before the title, and nothing where nothing is unattended", () => {
  expect(prefixOf(2)).toBe("(2) ");
  expect(prefixOf(0)).toBe("");
});

it("does not tell the states by colour alone", () => {
  const shape = (tone: Parameters<typeof iconOf>[0]) => iconOf(tone).replaceAll(/%23[0-9a-f]{6}/g, "");
  expect(shape("good")).toBe(shape("lost"));
  expect(shape("bad")).not.toBe(shape("good"));
});
