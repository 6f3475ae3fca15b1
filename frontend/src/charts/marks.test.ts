import { expect, it } from "vitest";
import {
  alarmMark,
  annotationMark,
  isOn,
  labelBaseline,
  leavesOut,
  placeEnds,
  placeLabels,
  placeNames,
  placeTime,
  policyMark,
  short,
  touched,
} from "./marks";

it("knows when the newest marks are not all of a range", () => {
  const marks = [{ time: 30 }, { time: 20 }];
  expect(leavesOut(marks, 2, 10)).toBe(true);
  expect(leavesOut(marks, 2, 20)).toBe(false);
  expect(leavesOut(marks, 3, 10)).toBe(false);
});

it("is on a chart while it is within its time, and an alarm for as long as it held", () => {
  const mark = { text: "", said: "" };
  for (const kind of ["policy", "annotation"] as const)
    expect([9, 10, 19, 20].map((time) => isOn({ ...mark, kind, time }, 10, 20))).toEqual([false, true, true, false]);
  const alarm = (time: number, until: number | null) => isOn({ ...mark, kind: "alarm", time, until }, 10, 20);
  expect([alarm(5, 9), alarm(5, 12), alarm(5, null), alarm(20, null)]).toEqual([false, true, true, false]);
});

const EDGES = { left: 0, right: 100 };

it("names what happened in a few characters and says it in a sentence", () => {
  expect(policyMark({ time: 5, revision: 8, actor: "admin" })).toEqual({
    kind: "policy",
    time: 5,
    text: "rev 8",
    said: "rev 8 by admin",
  });
  const alarm = {
    code: "at-ceiling",
    message: "bank has been held",
    severity: "warning",
    since: "1970-01-01T00:00:01Z",
    lastSeen: "1970-01-01T00:00:09Z",
    clearing: null,
    cleared: null,
  };
  expect(alarmMark(alarm)).toMatchObject({ time: 1_000, until: null, critical: false });
  expect(alarmMark({ ...alarm, clearing: alarm.lastSeen }).until).toBe(9_000);
  expect(alarmMark({ ...alarm, cleared: "1970-01-01T00:00:39Z" })).toMatchObject({
    until: 9_000,
    text: "at ceiling",
    said: "alarm “at ceiling”: bank has been held",
  });
  const deploy = { kind: "deploy", text: "shop 4.2", time: "1970-01-01T00:00:02Z", author: "ci" };
  expect(annotationMark(deploy)).toMatchObject({
    time: 2_000,
    text: "deploy: shop 4.2",
    said: "deploy by ci: shop 4.2",
  });
  expect(annotationMark({ ...deploy, kind: "note" }).text).toBe("shop 4.2");
});

it("shortens long names and joins their lines", () => {
  expect(short(" one\n two ")).toBe("one two");
  expect(short("a".repeat(100))).toBe(`${"a".repeat(27)}…`);
});

it("writes names right of their marks, left at the edge, and leaves out the earlier of two that overlap", () => {
  expect(placeNames([{ at: 10, width: 30 }], EDGES)).toEqual([15]);
  expect(placeNames([{ at: 90, width: 30 }], EDGES)).toEqual([55]);
  expect(
    placeNames(
      [
        { at: 10, width: 30 },
        { at: 30, width: 30 },
        { at: 70, width: 20 },
      ],
      EDGES,
    ),
  ).toEqual([null, 35, 75]);
});

it("writes the name of what began before the left edge at that edge", () => {
  expect(placeNames([{ at: -500, width: 30 }], EDGES)).toEqual([0]);
  expect(
    placeNames(
      [
        { at: -500, width: 30 },
        { at: 20, width: 30 },
      ],
      EDGES,
    ),
  ).toEqual([null, 25]);
});

it("keeps a label at its line", () => {
  const area = { top: 10, bottom: 150 };
  expect(labelBaseline(100, 100, area)).toBe(93);
  expect(labelBaseline(100, 60, area)).toBe(113); // it lay higher lately
  expect(labelBaseline(30, 30, area)).toBe(43); // above it stand the names of revisions
  expect(labelBaseline(15, 15, area)).toBe(32);
  expect(labelBaseline(145, 20, area)).toBe(138); // no room under it
});

it("names lines that end at one place without covering a name", () => {
  expect(placeEnds([100, 60], 20)).toEqual([94, 54]);
  expect(placeEnds([100, 98], 20)).toEqual([104, 92]); // the lower one's name stands under it
  expect(placeEnds([50, 50, 50], 20)).toEqual([44, 56, 68]);
  expect(placeEnds([5], 20)).toEqual([20]); // within the plot
});

it("labels each step where it begins, and leaves out the earlier of two that overlap", () => {
  const area = { ...EDGES, top: 10, bottom: 150 };
  const at = (at: number, line: number) => ({ at, line, width: 30 });
  expect(placeLabels([at(0, 100), at(50, 60)], area)).toEqual([
    { left: 6, baseline: 93 },
    { left: 56, baseline: 53 },
  ]);
  expect(placeLabels([at(0, 100), at(20, 100), at(95, 60)], area)).toEqual([
    null,
    { left: 26, baseline: 93 },
    { left: 66, baseline: 53 },
  ]);
});

it("writes the crosshair's time under it, in the place of the times that it would touch", () => {
  expect([50, 3, 99].map((at) => placeTime(at, 20, EDGES))).toEqual([40, 0, 80]);
  const ticks = [10, 40, 75].map((at) => ({ at, width: 20 }));
  expect(touched(ticks, { left: 45, right: 65 })).toEqual([ticks[1], ticks[2]]);
  expect(touched(ticks, { left: 56, right: 59 })).toEqual([]);
});
