import { expect, it } from "vitest";
import { chartsAround, decisionsAround, momentOf } from "./around";

const at = Date.parse("2026-11-23T21:15:00.400Z");

it("reads the instant of an address", () => {
  expect(momentOf("2026-11-23T21:15:00.400Z")).toBe(at);
  expect(momentOf("noon")).toBeNull();
  expect(momentOf(undefined)).toBeNull();
});

it("takes the decisions of a minute to either side", () => {
  expect(decisionsAround(at)).toEqual({ from: at - 60_000, to: at + 60_000 });
});

it("shows the charts of five minutes to either side, and nothing of the future", () => {
  expect(chartsAround(at, at + 3_600_000)).toEqual({ from: "2026-11-23T21:10:00Z", to: "2026-11-23T21:20:00Z" });
  expect(chartsAround(at, at + 30_000)).toEqual({ from: "2026-11-23T21:10:00Z", to: "2026-11-23T21:15:30Z" });
});
