import { describe, expect, it } from "vitest";
import { delta, hello, iso, policyEvent, pool, snapshot, summary } from "./fixtures";
import { Heat } from "./heat";
import { LiveStore, upsert } from "./live";
import { type Columns, type Frame, parseFrame } from "./schemas";

const store = () =>
  new LiveStore((run) => {
    run();
    return undefined;
  });
const frame = (raw: unknown) => parseFrame(JSON.stringify(raw)) as Frame;
const history = (from: number, sizes: (number | null)[]) => ({
  stepMs: 1000,
  time: sizes.map((_, i) => iso(from + i * 1000)),
  columns: { size: sizes, p99Ms: sizes.map(() => 5) },
  markers: [{ time: iso(from), revision: 7, actor: "admin" }],
});
const second = (at: number, size: number) => ({
  time: iso(at),
  inUse: 1,
  size,
  waiting: 0,
  floor: 2,
  ceiling: 7,
  p50Ms: 5,
  p95Ms: 6,
  p99Ms: 7,
  meanMs: 5,
  waitP99Ms: null,
  perSecond: 40,
  errorsPerSecond: 0,
  refusedPerSecond: 0,
  leasesPerSecond: 8,
});
const decision = (id: string, at: number, count = 1) =>
  ({ id, time: iso(0), lastTime: iso(at), count, kind: "held", message: `${id} ${count}` }) as never;

const MAIN = { name: "main", budget: 40, reachable: true, health: { ...pool("main").health, reach: "database" } };

describe("live store", () => {
  it("joins the service's history and the seconds that were streamed since", () => {
    const live = store();
    live.apply(frame(snapshot(1, { history: { bank: history(-3000, [1, 2, 3]) } })));
    live.apply(frame(delta(2, 250, { seconds: { bank: [second(-1000, 3), second(0, 9)] } })));
    live.apply(frame(delta(3, 1250, { seconds: { bank: [second(1000, 8)] } })));
    const series = live.series("bank");
    expect([...Array(series.length).keys()].map((i) => series.value("size", i))).toEqual([1, 2, 3, 9, 8]);
    expect(series.value("p99Ms", 3)).toBe(7);
    expect(series.value("leasesPerSecond", 3)).toBe(8);
    expect(series.value("waitP99Ms", 3)).toBeNaN();
    expect(live.markers("bank").map((m) => m.revision)).toEqual([7]);
  });

  it("keeps of a series what live charts show, and not an hour", () => {
    const live = store();
    live.apply(frame(snapshot(1, { history: { bank: history(-600_000, Array(600).fill(1)) } })));
    const series = live.series("bank");
    expect(series.length).toBe(330);
    expect(series.lastTime - series.time(0)).toBeGreaterThan(300_000);
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
          "secondBusy",
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

  it("knows every domain by the summary, and in full only what it subscribed to", () => {
    const live = store();
    live.apply(frame(snapshot(1, { summary: summary(["bank", "auction"], [5, 6]) })));
    expect(live.pools().map((each) => each.domain)).toEqual(["auction", "bank"]);
    expect(live.rows().map((each) => each.size)).toEqual([6, 5]);
    expect(live.pool("auction")).toBeUndefined();
    expect(live.pool("bank")).toBeDefined();
    expect(live.standing("bank")?.tier).toBe("gold");
  });

  it("takes labels from the summary, and keeps them while a frame shows the domain in full", () => {
    const live = store();
    live.apply(frame(snapshot(1, { summary: summary(["bank"], [5]) })));
    expect(live.standing("bank")?.labels).toEqual({});
    const pools = live.pools();
    const labelled = { states: { ...summary(["bank"], []).states, labels: [{ team: "payments" }] } };
    live.apply(frame(delta(2, 250, { domains: [], summary: labelled })));
    expect(live.pools()).not.toBe(pools);
    expect(live.rows()[0]?.labels).toEqual({ team: "payments" });
    live.apply(frame(delta(3, 500, { domains: [pool("bank", { state: "paused" })] })));
    expect(live.standing("bank")).toMatchObject({ state: "paused", tier: "gold", labels: { team: "payments" } });
  });

  it("takes from a summary's delta only what has changed", () => {
    const live = store();
    live.apply(frame(snapshot(1, { domains: [], summary: summary(["bank", "auction"], [5, 6]) })));
    const [pools, [auction]] = [live.pools(), live.rows()];
    const { figures } = summary(["bank"], [9]);
    live.apply(frame(delta(2, 250, { domains: [], summary: { states: summary([], []).states, figures } })));
    expect(live.rows().map((each) => each.size)).toEqual([6, 9]);
    expect(live.rows()[0]).toBe(auction);
    expect(live.pools()).toBe(pools);
  });

  it("shows no figures of before while only the states are streamed", () => {
    const live = store();
    live.apply(frame(snapshot(1, { domains: [], summary: summary(["bank"], [5]) })));
    live.apply(frame(snapshot(2, { domains: [], summary: { states: summary(["bank"], [5]).states } })));
    expect(live.pools()).toHaveLength(1);
    expect(live.rows()).toEqual([]);
  });

  it("shows the same to whoever looks between two notifications", () => {
    const told: (() => void)[] = [];
    const live = new LiveStore((run) => void told.push(run));
    live.apply(frame(snapshot(1)));
    expect([live.hasSnapshot, live.pools()]).toEqual([false, []]);
    told.shift()?.();
    const before = live.pools();
    expect(live.hasSnapshot).toBe(true);
    expect(before.length).toBeGreaterThan(0);
    live.apply(frame(delta(2, 250, { domains: [pool("bank", { revision: 99 })] })));
    expect(live.pools()).toBe(before);
    told.shift()?.();
    expect(live.pools().map((each) => each.revision)).toContain(99);
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

  it("tells what happened between the service's hello and the first snapshot, and nothing older", () => {
    const live = store();
    const heard: (number | null | undefined)[] = [];
    live.onEvent(({ revision }) => heard.push(revision));
    const event = (revision: number, at: number) => ({ ...policyEvent(0, revision), time: iso(at) });
    live.apply(frame(hello()));
    live.apply(frame({ ...snapshot(1), time: iso(500), events: [event(8, -1), event(9, 400)] }));
    live.apply(frame({ ...snapshot(2), time: iso(900), events: [event(8, -1), event(9, 400)] }));
    expect(heard).toEqual([9]);
    expect(live.markers("bank").map((mark) => mark.revision)).toEqual([8, 9]);
  });

  it("shows a snapshot at once, and all else a little later", () => {
    const waits: number[] = [];
    const runs: (() => void)[] = [];
    const live = new LiveStore((run, ms) => {
      waits.push(ms);
      runs.push(run);
      return () => runs.splice(runs.indexOf(run), 1);
    });
    let notified = 0;
    live.subscribe(() => notified++);
    live.apply(frame(hello()));
    live.apply(frame(snapshot(1)));
    live.apply(frame(delta(2)));
    expect(waits).toEqual([250, 0]);
    for (const run of runs) run();
    expect(notified).toBe(1);
    live.apply(frame(delta(3)));
    expect(waits).toEqual([250, 0, 250]);
  });

  it("puts a repeated decision in its place again, newest first", () => {
    let log = upsert([], decision("a", 1));
    log = upsert(log, decision("b", 2));
    log = upsert(log, decision("a", 3, 31));
    expect(log.map((d) => `${d.id}×${d.count}`)).toEqual(["a×31", "b×1"]);
  });

  it("merges what a delta says of a database", () => {
    const live = store();
    live.apply(frame(snapshot(1, { databases: [{ ...MAIN, host: "h", open: 1 }] })));
    live.apply(frame(delta(2, 250, { databases: [{ ...MAIN, open: 27 }] })));
    expect(live.databases()[0]).toMatchObject({ host: "h", open: 27 });
  });

  it("tells the reason of the present outage, and none of a past one", () => {
    const live = store();
    const main = { ...MAIN, host: "h", open: 1, reachable: false, unreachableReason: "wrong password" };
    live.apply(frame(snapshot(1, { databases: [main] })));
    const back = { ...MAIN, open: 1, unreachableReason: null };
    live.apply(frame(delta(2, 250, { databases: [back] })));
    expect(live.databases()[0]).toMatchObject({ host: "h", unreachableReason: null });
    const gone = { ...back, reachable: false, unreachableReason: "connection refused" };
    live.apply(frame(delta(3, 500, { databases: [gone] })));
    expect(live.databases()[0]).toMatchObject({ reachable: false, unreachableReason: "connection refused" });
  });
});

describe("heat", () => {
  it("keeps one entry a second, the latest told of it", () => {
    const heat = new Heat(3);
    const columns = (n: number) =>
      ({ id: ["bank-1"], secondMeanMs: [20], secondP99Ms: [60], secondBusy: [n] }) as unknown as Columns;
    for (const t of [5_000, 5_250, 6_100, 7_100, 8_100]) heat.add(t, columns(t / 10_000));
    heat.add(6_500, columns(1));
    expect(heat.since(0).map((s) => s.second)).toEqual([5, 6, 7]);
    expect(heat.since(0)[0]?.busy).toEqual([0.61]);
  });
});
