import { beforeEach, expect, it, vi } from "vitest";
import { forget, type HistoryEntry, MOST_ENTRIES, readHistory, remember } from "./history";

let stored: Map<string, string>;

beforeEach(() => {
  stored = new Map();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});

const entry = (sql: string, at = 1): HistoryEntry => ({ sql, at, elapsedMs: 2, rows: 3, outcome: "complete" });
const texts = (history: HistoryEntry[]) => history.map(({ sql }) => sql);

it("keeps the newest first, each domain for itself", () => {
  remember("bank", entry("SELECT 1"));
  expect(texts(remember("bank", entry("SELECT 2")))).toEqual(["SELECT 2", "SELECT 1"]);
  expect(readHistory("bank")).toHaveLength(2);
  expect(readHistory("auction")).toEqual([]);
});

it("keeps a repeated statement once, with its last execution", () => {
  remember("bank", entry("SELECT 1"));
  remember("bank", entry("SELECT 2"));
  const history = remember("bank", entry("SELECT 1", 9));
  expect(texts(history)).toEqual(["SELECT 1", "SELECT 2"]);
  expect(history[0]?.at).toBe(9);
});

it("keeps a hundred", () => {
  for (let i = 0; i < MOST_ENTRIES + 5; i++) remember("bank", entry(`SELECT ${i}`));
  const history = readHistory("bank");
  expect(history).toHaveLength(MOST_ENTRIES);
  expect(history[0]?.sql).toBe("SELECT 104");
  expect(history.at(-1)?.sql).toBe("SELECT 5");
});

it("keeps no password and no very long statement", () => {
  remember("bank", entry("ALTER ROLE app PASSWORD 'secret'"));
  remember("bank", entry("create user app with encrypted password $$secret$$"));
  remember("bank", entry(`SELECT '${"x".repeat(20_000)}'`));
  expect(readHistory("bank")).toEqual([]);
  expect(texts(remember("bank", entry("SELECT password FROM account")))).toEqual(["SELECT password FROM account"]);
});

it("is empty once it is cleared, or if it cannot be read", () => {
  remember("bank", entry("SELECT 1"));
  forget("bank");
  expect(readHistory("bank")).toEqual([]);
  for (const text of ["{", '{"sql":1}', '[{"sql":1}]']) {
    stored.set("headgate.console.bank", text);
    expect(readHistory("bank"), text).toEqual([]);
  }
});

it("does without storage", () => {
  vi.stubGlobal("localStorage", undefined);
  expect(remember("bank", entry("SELECT 1"))).toEqual([]);
  expect(() => forget("bank")).not.toThrow();
});
