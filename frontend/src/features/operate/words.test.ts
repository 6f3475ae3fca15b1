import { describe, expect, it } from "vitest";
import type { Connection, Lease, LeaseCaller, Waiter } from "@/api/types";
import { preparedSentence, questionOf, withoutLatencies } from "./words";

const wire: LeaseCaller = {
  kind: "wire",
  holder: "report 10.0.4.7:50432",
  user: "app",
  application: "report",
  address: "10.0.4.7:50432",
  transaction: "",
  thread: "",
};
const thread: LeaseCaller = {
  ...wire,
  kind: "jdbc",
  holder: "",
  user: "",
  application: "",
  address: "",
  thread: "http-7",
};
const lease: Lease = {
  id: "bank-3.ab",
  connection: "bank-3",
  caller: wire,
  heldMs: 61_000,
  state: "active",
  waitedMs: 0,
  statement: "select pg_sleep(?)",
  backendPid: 7,
};
const waiter: Waiter = { id: "1-2", position: 1, caller: thread, waitedMs: 1_500, leftMs: 3_500 };

describe("questions", () => {
  it("name whose statement is cancelled, and the statement", () => {
    const { title, lines } = questionOf({ what: "cancel", lease });
    expect(title).toBe("Cancel what report runs on bank-3?");
    expect(lines.join(" ")).toContain("report (app from 10.0.4.7:50432)");
    expect(lines).toContain("It is: select pg_sleep(?)");
    expect(lines.join(" ")).not.toContain("is closed when");
    expect(questionOf({ what: "cancel", lease: { ...lease, caller: thread } }).lines.join(" ")).toContain(
      "bank-3 is closed when the lease ends",
    );
  });

  it("say what is lost with a lease", () => {
    expect(questionOf({ what: "end", lease }).lines.join(" ")).toMatch(/cancelled.*57P01.*disconnected/);
    const idle = questionOf({ what: "end", lease: { ...lease, state: "idle in transaction", caller: thread } });
    expect(idle.lines.join(" ")).toMatch(/rolled back.*finds its connection closed/);
  });

  it("say how long a waiter would wait", () => {
    expect(questionOf({ what: "refuse", waiter }).lines[0]).toContain("would wait for 3.5");
    expect(questionOf({ what: "refuse", waiter: { ...waiter, leftMs: null as unknown as number } }).lines[0]).toContain(
      "as long as it takes",
    );
  });
});

it("tells how often a statement was prepared already", () => {
  const prepared = { count: 1, bytes: 10, hits: 3, misses: 1, statements: [] };
  expect(preparedSentence(prepared)).toBe("75 % of 4 uses found their statement prepared already.");
  expect(preparedSentence({ ...prepared, hits: 0, misses: 0 })).toMatch(/^No client/);
});

describe("the latencies of a connection", () => {
  it.each([
    ["No statement has ended yet.", 0],
    ["Its first second is not over yet.", 3],
  ])("%s", (sentence, requests) => {
    expect(withoutLatencies({ closed: null, connection: { requests } as Connection })).toBe(sentence);
  });
});
