import { describe, expect, it } from "vitest";
import type { Database, Health } from "@/api/types";
import type { Standing } from "@/stream/schemas";
import { rowAfter, rowTyped, type TreeRow, treeOf } from "./tree";

const domain = (name: string, database: string, severity: Standing["health"]["severity"] = "fine") =>
  ({
    domain: name,
    database,
    tier: "gold",
    labels: {},
    state: "open",
    health: { code: severity, label: severity, severity, sentence: name },
  }) as Standing;

const DOMAINS = [domain("shop", "eu"), domain("bank", "us", "critical"), domain("auction", "us")];
const state = (name: string, code: string, severity: Health["severity"]) =>
  ({ name, health: { code, severity } }) as Pick<Database, "name" | "health">;
const STATES = [state("us", "fine", "fine"), state("eu", "unreachable", "critical")];
const names = (rows: readonly TreeRow[]) => rows.map((row) => (row.kind === "database" ? `[${row.name}]` : row.name));
const none = new Set<string>();

describe("the tree of domains", () => {
  it("shows databases with their domains, and how many are in trouble", () => {
    const rows = treeOf(DOMAINS, STATES, none, "");
    expect(names(rows)).toEqual(["[eu]", "shop", "[us]", "auction", "bank"]);
    expect(rows[2]).toMatchObject({ domains: 2, troubled: 1, open: true });
  });

  it("shows the state of a database, whatever that of its domains", () => {
    const rows = treeOf(DOMAINS, STATES, none, "");
    expect(rows[0]).toMatchObject({ troubled: 0, health: { code: "unreachable" } });
    expect(rows[2]).toMatchObject({ health: { code: "fine" } });
  });

  it("closes a database, and opens it while the filter finds something in it", () => {
    const closed = new Set(["us"]);
    expect(names(treeOf(DOMAINS, STATES, closed, ""))).toEqual(["[eu]", "shop", "[us]"]);
    expect(names(treeOf(DOMAINS, STATES, closed, "critical"))).toEqual(["[us]", "bank"]);
    expect(treeOf(DOMAINS, STATES, closed, "nothing like it")).toEqual([]);
  });

  it("gives one database no level of its own", () => {
    expect(names(treeOf([domain("b", "main"), domain("a", "main")], [], new Set(["main"]), ""))).toEqual(["a", "b"]);
  });

  it("is walked by keys and by typing", () => {
    const rows = treeOf(DOMAINS, STATES, none, "");
    expect(rowAfter(rows, 0, "ArrowDown")).toBe(1);
    expect(rowAfter(rows, 4, "ArrowDown")).toBe(-1);
    expect(rowAfter(rows, 0, "ArrowUp")).toBe(-1);
    expect(rowAfter(rows, 4, "ArrowLeft")).toBe(2);
    expect(rowAfter(rows, 2, "End")).toBe(4);
    expect(rowTyped(rows, 0, "b")).toBe(4);
    expect(rowTyped(rows, 4, "s")).toBe(1);
    expect(rowTyped(rows, 3, "au")).toBe(3);
    expect(rowTyped(rows, 0, "x")).toBe(-1);
  });
});
