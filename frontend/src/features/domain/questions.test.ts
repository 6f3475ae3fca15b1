import { expect, it } from "vitest";
import { questionBefore } from "./questions";

const pool = { domain: "auction", size: 10, inUse: 7, idle: 3, waiting: 12, arrivalsPerSecond: 44.6 };
const idle = { domain: "auction", size: 1, inUse: 0, idle: 1, waiting: 0, arrivalsPerSecond: 0 };

it("says before a drain who is refused and what closes", () => {
  expect(questionBefore("drain", pool, true)).toMatchObject({
    title: "Drain auction?",
    danger: true,
    lines: [
      "New requests are refused until you resume (45 a second arrive now).",
      "12 requests that wait are refused now.",
      "7 connections in use close when released; no work is cut.",
      "3 idle close now.",
    ],
  });
  expect(questionBefore("drain", idle, true)?.lines).toEqual([
    "New requests are refused until you resume.",
    "1 idle closes now.",
  ]);
});

it("says before a pause that deadlines keep running", () => {
  expect(questionBefore("pause", { ...pool, waiting: 1, inUse: 1, arrivalsPerSecond: 0.4 }, true)?.lines).toEqual([
    "New requests wait until you resume (less than 1 a second arrives now). Each fails when its own deadline passes.",
    "1 request already waits and goes on waiting.",
    "1 connection in use finishes its work.",
  ]);
});

it("says before a flush what is replaced when", () => {
  expect(questionBefore("flush", pool, true)?.lines).toEqual([
    "10 connections are closed and opened again.",
    "3 idle are replaced now.",
    "7 in use are replaced when released; no work is cut.",
  ]);
});

it("asks nothing before a resume", () => {
  expect(questionBefore("resume", pool, true)).toBeNull();
});

it("says of arrivals on a lost stream that they are of then", () => {
  expect(questionBefore("pause", pool, false)?.lines[0]).toBe(
    "New requests wait until you resume (45 a second arrived when last seen). Each fails when its own deadline passes.",
  );
  expect(questionBefore("drain", { ...pool, arrivalsPerSecond: 0.4 }, false)?.lines[0]).toBe(
    "New requests are refused until you resume (less than 1 a second arrived when last seen).",
  );
});
