import { describe, expect, it } from "vitest";
import { delta, iso, policyEvent, pool, snapshot } from "./fixtures";
import { Heat } from "./heat";
import { LiveStore, upsert } from "./live";
import { type Columns, type Frame, parseFrame } from "./schemas";

const store = () => new LiveStore((run) => run());
const frame = (raw: unknown) => parseFrame(JSON.stringify(raw)) as Frame;
const history = (from: number, sizes: (number | null)[]) => ({
  stepMs: 1000,
  time: sizes.map((_, i) => iso(from + i * 1000)),
  columns: { size: sizes, p99Ms: sizes.map(() => 5) },
  markers: [{ time: iso(from), revision: 7, actor: "admin" }],
});
const decision = (id: string, at: number, count = 1) =>
  ({ id, time: iso(0), lastTime: iso(at), count, kind: "held", message: `${id} ${count}` }) as never;

describe("live store", () => {
  it("joins the service's history and what was streamed since", () => {
    const live = store();
    live.apply(frame(snapshot(1, { history: { bank: history(-3000, [1, 2, 3]) } })));
    const sample = { windowMs: 250, count: 0, p99Ms: null };
    live.apply(frame(delta(2, 250, { domains: [pool("bank", { size: 9, sample })] })));
    live.apply(frame(delta(3, 1250, { domains: [pool("bank", { size: 8, sample })] })));
    const series = live.series("bank");
    expect([...Array(series.length).keys()].map((i) => series.value("size", i))).toEqual([1, 2, 3, 9]);
    expect(series.value("p99Ms", 3)).toBeNaN();
    expect(live.markers("bank").map((m) => m.revision)).toEqual([7]);
  });

  it("draws one row a second, however often it is told", () => {
    const live = store();
    const at = (ms: number, p99Ms: number | null, count: number, inUse: number, perSecond: number) =>
      frame(
        delta(ms, ms, {
          domains: [pool("bank", { inUse, sample: { windowMs: 250, count, p99Ms, p50Ms: p99Ms, perSecond } })],
        }),
      );
    live.apply(frame(snapshot(1)));
    live.apply(at(250, 40, 10, 1, 40));
    live.apply(at(500, 90, 10, 6, 40));
    live.apply(at(750, null, 0, 2, 0));
    live.apply(at(1000, 10, 20, 3, 80));
    expect(live.series("bank").length).toBe(0);
    live.apply(at(1250, 500, 10, 1, 40));
    const series = live.series("bank");
    expect(series.length).toBe(1);
    expect(series.time(0)).toBe(Date.parse(iso(1000)));
    const first = (name: "inUse" | "p99Ms" | "p50Ms" | "perSecond") => series.value(name, 0);
    // 40 requests: the p99 is the slowest part's, the p50 lies between them by their counts.
    expect([first("inUse"), first("p99Ms"), first("p50Ms"), first("perSecond")]).toEqual([6, 90, 37.5, 40]);
  });

  it("keeps what a restarted service does not remember", () => {
    const live = store();
    live.apply(frame(snapshot(1, { history: { bank: history(-3000, [1, 2, 3]) } })));
    live.apply(frame(snapshot(1, { history: { bank: history(-2000, [null, null, null, 8]) } })));
    const series = live.series("bank");
    expect([...Array(series.length).keys()].map((i) => series.value("size", i))).toEqual([1, 2, 3, 8]);
  });

  it("hands out the same reference while nothing changed, and forgets removed domains", () => {
    const live = store();
    live.apply(frame(snapshot(1, { domains: [pool("bank"), pool("auction")] })));
    expect(live.pools()).toBe(live.pools());
    const auction = live.pool("auction");
    live.apply(frame(delta(2)));
    expect(live.pool("auction")).toBe(auction);
    live.apply(frame(snapshot(3)));
    expect(live.pool("auction")).toBeUndefined();
  });

  it("keeps nothing of a domain that was deleted, and all of the others", () => {
    const live = store();
    const columns = {
      ...Object.fromEntries(
        [
          "ageMs",
          "requests",
          "errors",
          "p50Ms",
          "p99Ms",
          "secondCount",
          "secondMeanMs",
          "secondP99Ms",
          "leaseAgeMs",
        ].map((name) => [name, [1]]),
      ),
      id: ["bank-1"],
      state: ["idle"],
      holder: [null],
    };
    const both = { bank: columns, auction: columns };
    const past = { bank: history(-3000, [1, 2, 3]), auction: history(-3000, [1, 2, 3]) };
    live.apply(frame(snapshot(1, { domains: [pool("bank"), pool("auction")], history: past, connections: both })));
    const kept = live.heat("bank");
    const gone = live.heat("auction");
    live.apply(frame(snapshot(2, { domains: [pool("bank")] })));

    expect(live.columns("auction")).toBeUndefined();
    expect(live.markers("auction")).toHaveLength(0);
    expect(live.series("auction").length).toBe(0);
    expect(live.heat("auction")).not.toBe(gone);
    expect(live.columns("bank")).toBeDefined();
    expect(live.markers("bank")).toHaveLength(1);
    expect(live.series("bank").length).toBe(3);
    expect(live.heat("bank")).toBe(kept);
  });

  it("marks a revision once and tells the listeners of events", () => {
    const live = store();
    const heard: string[] = [];
    live.onEvent((event) => heard.push(event.event));
    live.apply(frame(policyEvent(2)));
    live.apply(frame(policyEvent(3)));
    expect(live.markers("bank")).toHaveLength(1);
    expect(heard).toEqual(["policy", "policy"]);
  });

  it("puts a repeated decision in its place again, newest first", () => {
    let log = upsert([], decision("a", 1));
    log = upsert(log, decision("b", 2));
    log = upsert(log, decision("a", 3, 31));
    expect(log.map((d) => `${d.id}×${d.count}`)).toEqual(["a×31", "b×1"]);
  });

  it("merges what a delta says of a database", () => {
    const live = store();
    live.apply(frame(snapshot(1, { databases: [{ name: "main", host: "h", open: 1, budget: 40, reachable: true }] })));
    live.apply(frame(delta(2, 250, { databases: [{ name: "main", open: 27, budget: 40, reachable: true }] })));
    expect(live.databases()[0]).toMatchObject({ host: "h", open: 27 });
  });
});

describe("heat", () => {
  it("keeps one entry a second, and says how busy each connection was", () => {
    const heat = new Heat(3);
    const columns = (n: number) =>
      ({ id: ["bank-1"], secondCount: [n], secondMeanMs: [20], secondP99Ms: [60] }) as unknown as Columns;
    for (const t of [5_000, 5_250, 6_100, 7_100, 8_100]) heat.add(t, columns(25));
    heat.add(6_500, columns(1));
    expect(heat.since(0).map((s) => s.second)).toEqual([5, 6, 7]);
    expect(heat.since(0)[0]?.busy).toEqual([0.5]);
  });
});
