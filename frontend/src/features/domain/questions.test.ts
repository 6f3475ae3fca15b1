import { expect, it } from "vitest";
import {
  questionBefore,
  questionBeforeDeletion,
  questionBeforeRemoval,
  questionBeforeUnmarking,
  questionBeforeWire,
} from "./questions";

const pool = { domain: "auction", size: 10, inUse: 7, idle: 3, waiting: 12, arrivalsPerSecond: 44.6 };
const idle = { domain: "auction", size: 1, inUse: 0, idle: 1, waiting: 0, arrivalsPerSecond: 0 };

it("says before a drain who is refused and what closes", () => {
  expect(questionBefore("drain", pool)).toMatchObject({
    title: "Drain auction?",
    danger: true,
    lines: [
      "New requests are refused until you resume (45 a second arrive).",
      "12 requests that wait are refused now.",
      "7 connections in use close when released; no work is cut.",
      "3 idle close now.",
    ],
  });
  expect(questionBefore("drain", idle)?.lines).toEqual([
    "New requests are refused until you resume.",
    "1 idle closes now.",
  ]);
});

it("says before a pause that deadlines keep running", () => {
  expect(questionBefore("pause", { ...pool, waiting: 1, inUse: 1, arrivalsPerSecond: 0.4 })?.lines).toEqual([
    "New requests wait until you resume (less than 1 a second arrives). Each fails when its own deadline passes.",
    "1 request already waits and goes on waiting.",
    "1 connection in use finishes its work.",
  ]);
});

it("says before a flush what is replaced when", () => {
  expect(questionBefore("flush", pool)?.lines).toEqual([
    "10 connections are closed and opened again.",
    "3 idle are replaced now.",
    "7 in use are replaced when released; no work is cut.",
  ]);
});

it("asks nothing before a resume", () => {
  expect(questionBefore("resume", pool)).toBeNull();
});

const wire = { mode: "transaction", maxClients: 100, sessionState: "pin", unnamedStatements: "auto" } as const;

it("asks before wire settings that refuse something, and not before others", () => {
  expect(questionBeforeWire("bank", wire, { unnamedStatements: "off", maxClients: 200 }, 12)).toBeNull();
  expect(questionBeforeWire("bank", wire, { mode: "statement" }, 1)?.lines).toEqual([
    "Transactions of several statements fail, for clients that connect from now on.",
    "1 connected now keeps its settings.",
  ]);
  expect(questionBeforeWire("bank", wire, { maxClients: 20 }, 12)?.lines[0]).toBe(
    "At most 20 clients may be connected, not 100. 8 more can connect.",
  );
  expect(questionBeforeWire("bank", wire, { maxClients: 10 }, 12)?.lines[0]).toBe(
    "At most 10 clients may be connected, not 100. Nobody can connect until 3 have left.",
  );
});

it("asks for a domain's name before it is removed, with who is refused and what closes", () => {
  expect(questionBeforeDeletion("auction", pool)).toMatchObject({
    typed: "auction",
    lines: [
      "New requests are refused (45 a second arrive).",
      "12 requests that wait fail now.",
      "7 connections in use close when released, 3 idle now.",
      "Its policy sets are deleted.",
    ],
  });
});

it("invents no figures where the stream has told none", () => {
  expect(questionBeforeDeletion("auction", undefined).lines).toEqual([
    "New requests are refused.",
    "How many connections and requests this concerns is not known: the live stream has not told.",
    "Its policy sets are deleted.",
  ]);
});

it("says from how many charts a mark goes", () => {
  const mark = { kind: "note", text: "moved", database: null } as never;
  expect(questionBeforeUnmarking(mark, 3).lines).toEqual([
    "It goes from the charts of all domains: 3 now, for everybody.",
  ]);
});

it("asks for a client's name before it is removed", () => {
  const client = { name: "web", connected: 1, createdAt: "2026-11-21T12:00:00Z", createdBy: "admin" };
  expect(questionBeforeRemoval("bank", client)).toMatchObject({
    typed: "web",
    lines: ["1 connection of web ends now, with what it does.", "It can no longer connect to bank."],
  });
});
