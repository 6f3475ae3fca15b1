import { describe, expect, it } from "vitest";
import { flat, misjudged, type PlanNode, type QueryPlan, readPlan } from "./plan";

type Raw = { [name: string]: unknown };

/** A node of EXPLAIN's JSON: its average time, its loops, its children. */
function raw(type: string, ms: number, loops: number, plans: Raw[] = [], more: Raw = {}): Raw {
  return {
    "Node Type": type,
    "Total Cost": ms,
    "Plan Rows": 10,
    "Actual Total Time": ms,
    "Actual Rows": 10,
    "Actual Loops": loops,
    Plans: plans,
    ...more,
  };
}

const read = (top: Raw) =>
  readPlan(JSON.stringify([{ Plan: top, "Planning Time": 0.2, "Execution Time": 101 }])) as QueryPlan;

function named(root: PlanNode, title: string): PlanNode {
  return flat(root).find((node) => node.title === title) as PlanNode;
}

describe("a plan", () => {
  it("gives each node its time without its children, and its share", () => {
    const plan = read(
      raw("Sort", 100, 1, [
        raw("Hash Join", 90, 1, [raw("Seq Scan", 30, 1), raw("Hash", 20, 1)], { "Join Type": "Left" }),
      ]),
    );
    expect(flat(plan.root).map(({ title, own, share }) => [title, own, share])).toEqual([
      ["Sort", 10, 0.1],
      ["Hash Left Join", 40, 0.4],
      ["Seq Scan", 30, 0.3],
      ["Hash", 20, 0.2],
    ]);
    expect(plan.costliest.title).toBe("Hash Left Join");
    expect(plan).toMatchObject({ analyzed: true, planningMs: 0.2, executionMs: 101 });
  });

  it("adds up the loops of a node, rows too", () => {
    const inner = raw("Index Scan", 0.5, 100, [], { "Actual Rows": 1.5, "Plan Rows": 3 });
    const { root } = read(raw("Nested Loop", 80, 1, [raw("Seq Scan", 10, 1), inner]));
    expect(root.own).toBe(20);
    expect(named(root, "Index Scan")).toMatchObject({ total: 50, own: 50, actualRows: 150, expectedRows: 300 });
  });

  it("divides among the processes below a Gather", () => {
    const scan = raw("Seq Scan", 60, 3, [], { "Parallel Aware": true });
    const { root } = read(raw("Gather", 70, 1, [scan], { "Workers Launched": 2 }));
    expect(named(root, "Parallel Seq Scan")).toMatchObject({ total: 60, own: 60, actualRows: 30 });
    expect(root.own).toBe(10);
  });

  it("counts the time of a CTE once: at the CTE, not at its scans or the node that declares it", () => {
    const cte = raw("Seq Scan", 40, 1, [], { "Parent Relationship": "InitPlan", "Subplan Name": "CTE s" });
    const scans = [
      raw("CTE Scan", 45, 1, [], { "CTE Name": "s", Alias: "a" }),
      raw("CTE Scan", 3, 1, [], { "CTE Name": "s" }),
    ];
    const { root } = read(raw("Hash Join", 60, 1, [cte, ...scans]));
    expect(flat(root).map(({ title, own }) => [title, own])).toEqual([
      ["Hash Join", 12],
      ["CTE s: Seq Scan", 40],
      ["CTE Scan on s a", 5],
      ["CTE Scan on s", 3],
    ]);
    expect(flat(root).reduce((sum, { own }) => sum + own, 0)).toBe(60);
  });

  it("never gives a node less than nothing, as with a Limit that stops its child", () => {
    const { root } = read(raw("Limit", 5, 1, [raw("Seq Scan", 5.01, 1)]));
    expect(root).toMatchObject({ own: 0, share: 0 });
    expect(named(root, "Seq Scan").share).toBe(1);
  });

  it("shows costs if it was not executed", () => {
    const top = {
      "Node Type": "Sort",
      "Total Cost": 12,
      "Plan Rows": 5,
      Plans: [{ "Node Type": "Result", "Total Cost": 9 }],
    };
    const plan = readPlan(JSON.stringify([{ Plan: top }])) as QueryPlan;
    expect(plan).toMatchObject({ analyzed: false, executionMs: null });
    expect(plan.root).toMatchObject({ own: 3, total: 12, share: 0.25, actualRows: null, expectedRows: 5 });
    expect(misjudged(plan.root)).toBeNull();
  });

  it("may be missing", () => {
    expect(readPlan('["Query rewrites to nothing"]')).toBeNull();
  });

  it("tells how far the estimate of the rows is off", () => {
    const off = (actual: number, loops: number) =>
      misjudged(read(raw("Seq Scan", 1, loops, [], { "Actual Rows": actual })).root);
    expect([off(10, 1), off(1000, 1), off(0, 1), off(0, 0)]).toEqual([1, 100, 0.1, null]);
  });

  it("names a node as EXPLAIN's text does, and lists what explains its time", () => {
    const { root } = read(
      raw("Index Scan", 1, 1, [], {
        "Index Name": "item_pkey",
        "Relation Name": "item",
        Alias: "i",
        "Index Cond": "(id < 10)",
        "Rows Removed by Filter": 0,
        "Shared Hit Blocks": 3,
        "Shared Read Blocks": 0,
      }),
    );
    expect(root.title).toBe("Index Scan using item_pkey on item i");
    expect(root.details).toEqual([
      ["Index Cond", "(id < 10)"],
      ["Buffers, with children", "3 hit"],
    ]);
    const top = raw("Aggregate", 1, 1, [], { Strategy: "Hashed", "Partial Mode": "Finalize", "Group Key": ["a", "b"] });
    expect(read(top).root).toMatchObject({ title: "Finalize HashAggregate", details: [["Group Key", "a, b"]] });
  });

  it("gives the sizes their unit, which is only in EXPLAIN's text", () => {
    const memory = { "Sort Method": "top-N heapsort", "Sort Space Used": 26, "Sort Space Type": "Memory" };
    expect(read(raw("Sort", 1, 1, [], memory)).root.details).toContainEqual(["Sort Space Used", "26 kB"]);
    const disk = { "Peak Memory Usage": 121, "Disk Usage": 512, "HashAgg Batches": 5 };
    expect(read(raw("Aggregate", 1, 1, [], disk)).root.details).toEqual([
      ["Peak Memory Usage", "121 kB"],
      ["Disk Usage", "512 kB"],
      ["HashAgg Batches", "5"],
    ]);
  });
});
