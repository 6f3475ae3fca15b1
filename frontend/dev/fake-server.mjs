// A stand-in for the service, for work on the pages alone: plausible pools, the contract of docs/api.md, no database.
//   node dev/fake-server.mjs [port] [token]       (serves dist/ too, when it has been built)
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";

const port = Number(process.argv[2] ?? 8080);
const token = process.argv[3] ?? "dev";
const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const iso = (t) => new Date(t).toISOString();
const noise = (n) => (Math.random() + Math.random() - 1) * n;

const number = (title, minimum, maximum, extra = {}) => ({
  type: "number",
  description: title,
  minimum,
  maximum,
  ...extra,
});
const plugins = [
  [
    "min-max",
    "The JDBC 3.0 pool properties, as a policy.",
    {
      type: "object",
      additionalProperties: false,
      properties: {
        initial: { type: "integer", description: "opened at the start", minimum: 0, maximum: 500 },
        min: { type: "integer", description: "kept open even when idle", minimum: 0, maximum: 500, default: 0 },
        max: { type: "integer", description: "never more than this", minimum: 1, maximum: 500 },
        idleTimeoutMs: number("an idle connection above min is closed after this", 0, 86400000),
      },
      required: ["max"],
    },
  ],
  [
    "latency-cap",
    "Grows only while the latency predicted for one more connection stays under a cap.",
    {
      type: "object",
      additionalProperties: false,
      properties: {
        maxLatencyMs: number("the latency that the database shall not pass", 0.1, 60000),
        statistic: {
          type: "string",
          enum: ["mean", "p95", "p99"],
          default: "mean",
          description: "what is held under it",
        },
      },
      required: ["maxLatencyMs"],
    },
  ],
  [
    "tiers",
    "A domain's standing on a shared database.",
    {
      type: "object",
      additionalProperties: false,
      properties: {
        tier: { type: "string", enum: ["gold", "silver", "bronze"] },
        guaranteed: { type: "integer", minimum: 0, maximum: 500 },
        weight: number("share of what is left", 0.1, 100, { default: 1 }),
        borrowLimit: { type: "integer", minimum: 0 },
      },
      required: ["tier"],
    },
  ],
].map(([id, description, parameterSchema]) => ({
  id,
  version: "0.1.0",
  description,
  source: `${id}.jar`,
  sha256: createHash("sha256").update(id).digest("hex"),
  parameterSchema,
  usedBy: [],
}));

const databases = [
  {
    name: "main",
    host: "127.0.0.1",
    port: 5433,
    database: "demo",
    user: "headgate",
    sslMode: "disable",
    budget: 40,
    open: 0,
    reachable: true,
    unreachableReason: null,
    serverVersion: "18.6",
    serverMaxConnections: 97,
    othersUse: 4,
    domains: [],
    revision: 0,
  },
];
const sets = new Map();
const audit = [];
const decisions = [];
const sockets = new Set();
const epoch = randomUUID().slice(0, 8);
const queueing = { mode: "queue", timeoutMs: 5000, depth: 1000 };
const domains = new Map();

function addDomain(name, database, tier, description, policies, base) {
  domains.set(name, {
    name,
    database,
    description,
    tier,
    createdAt: iso(Date.now() - 86400000),
    base,
    history: [],
    markers: [],
    paused: false,
    lat: base.lat,
    inUse: 1,
    waiting: 0,
    conns: [],
    next: 20,
    leases: 120033,
    since: null,
  });
  sets.set(`domains/${name}`, [
    {
      revision: 1,
      createdAt: iso(Date.now() - 86400000),
      actor: "admin",
      comment: null,
      managedBy: null,
      policySet: { policies, whenExhausted: queueing },
    },
  ]);
  databases.find((d) => d.name === database)?.domains.push(name);
}
addDomain(
  "auction",
  "main",
  "gold",
  "An auction site: browse, bid, buy",
  [
    { plugin: "min-max", parameters: { min: 4, max: 20 } },
    { plugin: "tiers", parameters: { tier: "gold", guaranteed: 10, weight: 4 } },
  ],
  { lat: 3.1, rps: 1208, want: 11 },
);
addDomain(
  "bank",
  "main",
  "silver",
  "TPC-B in pgbench's schema",
  [
    { plugin: "min-max", parameters: { min: 2, max: 20 } },
    { plugin: "latency-cap", parameters: { maxLatencyMs: 30, statistic: "mean" } },
  ],
  { lat: 18, rps: 342, want: 14 },
);
addDomain(
  "gallery",
  "main",
  "bronze",
  "Few, large, streamed results",
  [
    { plugin: "min-max", parameters: { min: 1, max: 8 } },
    { plugin: "tiers", parameters: { tier: "bronze", guaranteed: 0, weight: 1 } },
  ],
  { lat: 64, rps: 21, want: 3 },
);
sets.set("databases/main", [
  { revision: 0, createdAt: null, actor: null, comment: null, managedBy: null, policySet: { policies: [] } },
]);
const workloads = [...domains.values()].map((d) => ({
  name: d.name,
  domain: d.name,
  description: d.description,
  running: true,
  ratePerSecond: d.base.rps,
  varies: true,
  inFlight: 3,
  errors: 0,
  refused: 0,
}));

const current = (key) => sets.get(key)?.at(-1);
const param = (set, plugin) => set.policies.find((p) => p.plugin === plugin)?.parameters;
function answersOf(d, set) {
  const out = [];
  for (const { plugin, parameters: p } of set.policies) {
    if (plugin === "min-max")
      out.push({
        policy: plugin,
        floor: p.min ?? 0,
        ceiling: p.max,
        guaranteed: null,
        reason: `between ${p.min ?? 0} and ${p.max}`,
      });
    if (plugin === "latency-cap") {
      const c = Math.max(1, Math.round((p.maxLatencyMs / (d.base.lat / 7)) * 0.98));
      out.push({
        policy: plugin,
        floor: null,
        ceiling: c,
        guaranteed: null,
        reason: `Sees ${d.lat.toFixed(1)} ms at ${d.inUse}; expects ${(d.lat * 1.2).toFixed(1)} ms at ${d.inUse + 1}.`,
      });
    }
    if (plugin === "tiers")
      out.push({
        policy: plugin,
        floor: null,
        ceiling: null,
        guaranteed: p.guaranteed ?? 0,
        reason: `${p.tier}: share ${p.guaranteed ?? 0}`,
      });
  }
  return out;
}
const limitsOf = (answers) => ({
  floor: Math.max(0, ...answers.map((a) => a.floor ?? 0)),
  ceiling: Math.min(40, ...answers.map((a) => a.ceiling ?? 99)),
});
const latency = (d, n = 10) => ({
  windowMs: n * 1000,
  count: Math.round(d.base.rps * n),
  meanMs: d.lat,
  minMs: d.lat / 8,
  maxMs: d.lat * 4,
  p50Ms: d.lat * 0.96,
  p95Ms: d.lat * 1.7,
  p99Ms: d.lat * 2.3,
  perSecond: d.rps,
});

function poolOf(d) {
  const set = current(`domains/${d.name}`),
    answers = answersOf(d, set.policySet),
    { floor, ceiling } = limitsOf(answers);
  const binding = answers.filter((a) => a.ceiling != null).sort((a, b) => a.ceiling - b.ceiling)[0];
  const g = param(set.policySet, "tiers")?.guaranteed ?? 0,
    size = d.conns.length;
  const alarms = [];
  if (d.waiting > 0 && size >= ceiling && d.since)
    alarms.push({
      code: "at-ceiling",
      message: `${d.name} has been held at its ceiling of ${ceiling} by ${binding?.policy}`,
      since: iso(d.since),
      severity: "warning",
    });
  if (d.paused)
    alarms.push({ code: "paused", message: `${d.name} is paused`, since: iso(d.pausedAt), severity: "warning" });
  return {
    domain: d.name,
    database: d.database,
    revision: set.revision,
    state: d.paused ? "paused" : "open",
    size,
    inUse: d.inUse,
    idle: size - d.inUse,
    opening: 0,
    waiting: d.waiting,
    longestWaitMs: d.waiting * 2.6,
    floor,
    ceiling,
    guaranteed: g,
    lent: g > 0 ? Math.max(0, size - g) : 0,
    budget: 40,
    target: ceiling,
    degraded: false,
    degradedReason: null,
    binding: binding
      ? {
          policy: binding.policy,
          reason:
            binding.policy === "latency-cap"
              ? `An ${ceiling + 1}th connection would bring the mean to ${(d.lat * 1.2).toFixed(1)} ms, over the cap of ${param(set.policySet, "latency-cap").maxLatencyMs} ms.`
              : binding.reason,
        }
      : null,
    answers,
    whenExhausted: set.policySet.whenExhausted ?? queueing,
    alarms,
    latency: latency(d),
    wait: {
      ...latency(d),
      meanMs: d.waiting * 0.7,
      p50Ms: d.waiting / 2,
      p95Ms: d.waiting * 2.5,
      p99Ms: d.waiting * 3.1,
    },
    arrivalsPerSecond: d.rps,
    errorsPerSecond: 0,
    refusedPerSecond: 0,
    totals: { leases: d.leases, requests: d.leases * 2, errors: 2, refused: 0, timedOut: 0 },
  };
}
function step(d, t) {
  const { ceiling, floor } = limitsOf(answersOf(d, current(`domains/${d.name}`).policySet));
  const w = workloads.find((x) => x.name === d.name),
    load = w ? (w.running ? w.ratePerSecond / d.base.rps : 0) : 0;
  const want = Math.max(
    0,
    Math.round(d.base.want * load * (1 + (w?.varies ? 0.25 * Math.sin(t / 40000 + d.base.lat) : 0)) + noise(2)),
  );
  while (d.conns.length < Math.min(Math.max(want, floor), ceiling))
    d.conns.push({ id: `${d.name}-${d.next++}`, born: t - (d.history.length ? 0 : 540000), requests: 18000, skew: 1 });
  while (d.conns.length > ceiling || (d.conns.length > Math.max(want + 4, floor) && Math.random() < 0.05))
    d.conns.shift();
  d.inUse = d.paused ? 0 : Math.min(want, d.conns.length);
  d.waiting = d.paused ? Math.round(load * 9) : Math.max(0, Math.round((want - d.conns.length) * 1.7));
  d.since = d.waiting > 0 ? (d.since ?? t) : d.waiting === 0 && Math.random() < 0.1 ? null : d.since;
  d.lat = Math.max(
    0.2,
    d.base.lat * (0.75 + 0.25 * (d.inUse / Math.max(1, d.base.want / 2))) + noise(d.base.lat * 0.16),
  );
  d.rps = Math.max(0, d.base.rps * load * (d.paused ? 0 : 1) + noise(d.base.rps * 0.1));
  d.leases += Math.round(d.rps / 4);
}
const row = (d, t) => {
  const { floor, ceiling } = limitsOf(answersOf(d, current(`domains/${d.name}`).policySet));
  return {
    t,
    inUse: d.inUse,
    size: d.conns.length,
    waiting: d.waiting,
    floor,
    ceiling,
    p50Ms: d.lat * 0.96,
    p95Ms: d.lat * 1.7 + noise(2),
    p99Ms: Math.max(d.lat * 1.7, d.lat * 2.3 + noise(d.lat * 0.6)),
    meanMs: d.lat,
    waitP99Ms: d.waiting * 3.1,
    perSecond: d.rps,
    errorsPerSecond: 0,
    refusedPerSecond: 0,
  };
};
const COLS = [
  "inUse",
  "size",
  "waiting",
  "floor",
  "ceiling",
  "p50Ms",
  "p95Ms",
  "p99Ms",
  "meanMs",
  "waitP99Ms",
  "perSecond",
  "errorsPerSecond",
  "refusedPerSecond",
];
const historyOf = (d, minutes) => {
  const rows = d.history.slice(-minutes * 60);
  return {
    stepMs: 1000,
    time: rows.map((r) => iso(r.t)),
    columns: Object.fromEntries(COLS.map((c) => [c, rows.map((r) => r[c])])),
    markers: d.markers.map((m) => ({ ...m, time: iso(m.time) })),
  };
};
const STATES = ["active", "active", "active", "idle in transaction"];
function columnsOf(d, t) {
  const c = d.conns.map((x, i) => {
    const slow = i === 3 && Math.sin(t / 20000) > 0.3 ? 3 : 1;
    x.mean = Math.max(0.1, d.lat * slow * (0.8 + 0.2 * Math.random()));
    x.requests += 5;
    return { ...x, busy: i < d.inUse, slow };
  });
  const n = Math.max(1, c.length),
    f = (g) => c.map(g);
  return {
    id: f((x) => x.id),
    state: f((x, i) => (x.busy ? (x.slow > 1 ? STATES[3] : STATES[i % 3]) : "idle")),
    ageMs: f((x) => t - x.born),
    requests: f((x) => x.requests),
    errors: f((_, i) => (i === 2 ? 2 : 0)),
    meanMs: f((x) => x.mean),
    p50Ms: f((x) => x.mean * 0.95),
    p95Ms: f((x) => x.mean * 1.7),
    p99Ms: f((x) => x.mean * 2.2),
    secondCount: f((x) => (x.busy ? Math.round(d.rps / n) : 0)),
    secondMeanMs: f((x) => (x.busy ? x.mean : null)),
    secondP99Ms: f((x) => (x.busy ? x.mean * (Math.random() > 0.985 ? 5 : 2.2) : null)),
    bytesIn: f(() => 1e5),
    bytesOut: f(() => 2e5),
    holder: f((x) => (x.busy ? `${d.name} demo load` : null)),
    leaseAgeMs: f((x) => (x.busy ? (x.slow > 1 ? 4200 : 12) : null)),
  };
}
function refreshDatabases() {
  for (const db of databases) {
    db.domains = [...domains.values()].filter((d) => d.database === db.name).map((d) => d.name);
    db.open = db.domains.reduce((n, x) => n + domains.get(x).conns.length, 0);
    db.revision = current(`databases/${db.name}`)?.revision ?? 0;
  }
}

const start = Date.now();
for (let t = start - 300000; t < start; t += 1000)
  for (const d of domains.values()) {
    if (d.name === "bank" && t >= start - 134000 && d.markers.length === 0)
      apply(
        `domains/bank`,
        {
          policies: [
            { plugin: "min-max", parameters: { min: 2, max: 20 } },
            { plugin: "latency-cap", parameters: { maxLatencyMs: 20, statistic: "mean" } },
          ],
          whenExhausted: queueing,
        },
        t,
      );
    step(d, t);
    d.history.push(row(d, t));
  }

function broadcast(event) {
  for (const s of sockets)
    if (s.subscription) s.send(JSON.stringify({ type: "event", seq: ++s.seq, time: iso(Date.now()), ...event }));
}
function decide(d, kind, policy, message, t = Date.now()) {
  const last = decisions.find((x) => x.domain === d.name),
    p = poolOf(d),
    lim = { floor: p.floor, ceiling: p.ceiling, target: p.target };
  const inputs = {
    size: p.size,
    inUse: p.inUse,
    idle: p.idle,
    waiting: p.waiting,
    longestWaitMs: p.longestWaitMs,
    meanMs: d.lat,
    p99Ms: d.lat * 2.3,
  };
  if (last && last.kind === kind && kind === "held")
    Object.assign(last, { count: last.count + 1, lastTime: iso(t), message, inputs });
  else
    decisions.unshift({
      id: randomUUID(),
      time: iso(t),
      lastTime: iso(t),
      count: 1,
      node: "headgate-1",
      database: d.database,
      domain: d.name,
      revision: p.revision,
      kind,
      policy,
      message,
      inputs,
      before: lim,
      after: lim,
      answers: p.answers,
    });
  broadcast({ event: "decision", decision: last?.kind === kind && kind === "held" ? last : decisions[0] });
}
function apply(key, policySet, t = Date.now(), restoredFrom = null) {
  const { comment, ...set } = policySet,
    before = current(key),
    next = {
      revision: before.revision + 1,
      createdAt: iso(t),
      actor: "admin",
      comment: comment ?? null,
      managedBy: null,
      restoredFrom,
      policySet: set,
    };
  sets.get(key).push(next);
  const [kind, name] = key.split("/");
  audit.unshift({
    id: randomUUID(),
    time: iso(t),
    node: "headgate-1",
    actor: "admin",
    action: "policies.put",
    target: key,
    before: before.policySet,
    after: set,
    remote: "127.0.0.1",
  });
  if (kind === "domains") {
    const d = domains.get(name);
    d.markers.push({ time: t, revision: next.revision, actor: "admin" });
    decide(d, "policy", null, `${name} rev ${next.revision} by admin took effect.`, t);
    broadcast({
      event: "policy",
      domain: name,
      revision: next.revision,
      actor: "admin",
      message: `rev ${next.revision}`,
    });
  }
  return next;
}
function violations(set) {
  const out = [];
  const fault = (pointer, message, allowed) => void out.push({ pointer, message, allowed });
  for (const [i, { plugin, parameters = {} }] of (set.policies ?? []).entries()) {
    const schema = plugins.find((p) => p.id === plugin)?.parameterSchema;
    if (!schema) {
      fault(`/policies/${i}/plugin`, `unknown plugin ${plugin}`, plugins.map((p) => p.id).join(", "));
      continue;
    }
    for (const r of schema.required) if (parameters[r] == null) fault(`/policies/${i}/parameters/${r}`, "is required");
    for (const [k, v] of Object.entries(parameters)) {
      const s = schema.properties[k];
      if (!s) fault(`/policies/${i}/parameters/${k}`, "is not a parameter of this policy");
      else if (s.enum && !s.enum.includes(v))
        fault(`/policies/${i}/parameters/${k}`, "is not allowed", s.enum.join(", "));
      else if (!s.enum && (typeof v !== "number" || v < s.minimum || v > s.maximum))
        fault(`/policies/${i}/parameters/${k}`, `must be ${s.minimum}..${s.maximum}`);
    }
    if (plugin === "min-max" && parameters.min > parameters.max)
      fault(
        `/policies/${i}/parameters/min`,
        `must be at most ${parameters.max} (max), was ${parameters.min}`,
        `0..${parameters.max}`,
      );
  }
  return out;
}
const flat = (v, p = "", o = {}) => {
  if (v && typeof v === "object") for (const k of Object.keys(v)) flat(v[k], `${p}/${k}`, o);
  else o[p] = v;
  return o;
};
const diff = (a, b) => {
  const x = flat(a),
    y = flat(b);
  return [...new Set([...Object.keys(x), ...Object.keys(y)])]
    .filter((k) => x[k] !== y[k])
    .map((pointer) => ({ pointer, from: x[pointer], to: y[pointer] }));
};

setInterval(() => {
  const t = Date.now();
  for (const d of domains.values()) {
    step(d, t);
    if (!d.history.length || t - d.history.at(-1).t >= 1000) {
      d.history.push(row(d, t));
      if (d.history.length > 3600) d.history.shift();
    }
  }
  const bank = domains.get("bank");
  if (bank && bank.waiting > 3 && Math.random() < 0.06)
    decide(bank, "held", "latency-cap", `bank stays at ${bank.conns.length}. ${poolOf(bank).binding.reason}`);
  const a = domains.get("auction");
  if (a && Math.random() < 0.012)
    decide(
      a,
      "grew",
      null,
      `auction grew ${a.conns.length - 1} → ${a.conns.length} on demand: ${1 + Math.floor(Math.random() * 3)} waiting, ceiling 20.`,
    );
  refreshDatabases();
  for (const s of sockets)
    if (s.subscription) {
      const pools = [...domains.values()].map((d) => {
        const r = row(d, t);
        return {
          ...poolOf(d),
          sample: {
            windowMs: 250,
            count: Math.round(d.rps / 4),
            ...r,
            minMs: 0.3,
            maxMs: r.p99Ms * 1.5,
            waitMaxMs: r.waitP99Ms,
            arrivalsPerSecond: d.rps,
          },
        };
      });
      s.send(
        JSON.stringify({
          type: "delta",
          seq: ++s.seq,
          time: iso(t),
          fromTime: iso(t - 250),
          domains: pools,
          databases: databases.map(({ name, open, budget, reachable }) => ({ name, open, budget, reachable })),
          connections: Object.fromEntries(
            s.subscription.connections.filter((c) => domains.has(c)).map((c) => [c, columnsOf(domains.get(c), t)]),
          ),
        }),
      );
    }
}, 250);

const problem = (status, kind, title, extra = {}) => ({
  status,
  type: "application/problem+json",
  body: { type: `https://headgate.dev/problems/${kind}`, title, status, ...extra },
});
const ok = (body, headers = {}, status = 200) => ({ status, body, headers });
const domainView = (d) => ({
  name: d.name,
  database: d.database,
  description: d.description,
  tier: d.tier,
  revision: current(`domains/${d.name}`).revision,
  createdAt: d.createdAt,
  pool: poolOf(d),
});
const NAME = /^[a-z][a-z0-9-]{0,62}$/;

function route(method, path, query, body, headers) {
  const [a, b, c, e, f] = path.split("/"),
    key = `${a}/${b}`;
  if (a === "session") return ok({ name: "admin", role: "administrator", node: "headgate-1", version: "0.1.0" });
  if (
    (a === "domains" || a === "databases") &&
    b &&
    !(a === "domains" ? domains.has(b) : databases.some((d) => d.name === b))
  )
    return problem(404, "not-found", `There is no ${a.slice(0, -1)} called ${b}`);
  if (c === "policies") {
    const revs = sets.get(key),
      now = revs.at(-1),
      tag = { ETag: `"${now.revision}"` };
    if (!e && method === "GET") return ok(now, tag);
    if (e === "revisions" && !f) return ok({ items: [...revs].reverse() });
    if (e === "plan") {
      const d = domains.get(b),
        v = violations(body),
        an = d && !v.length ? answersOf(d, body) : [];
      return ok({
        baseRevision: now.revision,
        diff: diff(now.policySet, { policies: body.policies, whenExhausted: body.whenExhausted }),
        violations: v,
        now: d ? limitsOf(answersOf(d, now.policySet)) : { floor: 0, ceiling: 40 },
        planned: v.length ? null : d ? { ...limitsOf(an), answers: an } : { floor: 0, ceiling: 40, answers: [] },
        warnings: [],
      });
    }
    if (!headers["if-match"]) return problem(428, "precondition-required", "If-Match is required");
    if (headers["if-match"] !== `"${now.revision}"`)
      return problem(412, "stale-revision", `The policy set is at revision ${now.revision}`, {
        currentRevision: now.revision,
      });
    const wanted = f ? revs.find((r) => r.revision === Number(f)).policySet : body,
      v = violations(wanted);
    if (v.length)
      return problem(422, "invalid-policy-set", "The policy set is not valid", {
        detail: `${v.length} fault`,
        errors: v,
      });
    const next = apply(key, wanted, Date.now(), f ? Number(f) : null);
    return ok(next, { ETag: `"${next.revision}"` });
  }
  if (a === "domains" && !b && method === "POST") {
    const v = [];
    if (!NAME.test(body.name ?? ""))
      v.push({
        pointer: "/name",
        message: "must start with a letter; letters, digits and - only",
        allowed: "^[a-z][a-z0-9-]{0,62}$",
      });
    if (!databases.some((d) => d.name === body.database))
      v.push({ pointer: "/database", message: "is not a known database" });
    if (v.length) return problem(422, "invalid-request", "The domain is not valid", { errors: v });
    if (domains.has(body.name)) return problem(409, "conflict", `There is a domain called ${body.name} already`);
    addDomain(body.name, body.database, "bronze", body.description ?? null, body.policySet?.policies ?? [], {
      lat: 2,
      rps: 0.001,
      want: 0,
    });
    broadcast({ event: "domains" });
    return ok(domainView(domains.get(body.name)), {}, 201);
  }
  if (a === "domains" && !b) return ok({ items: [...domains.values()].map(domainView) });
  if (a === "domains" && !c) {
    if (method === "DELETE") {
      domains.delete(b);
      broadcast({ event: "domains" });
      return { status: 204 };
    }
    return ok(domainView(domains.get(b)));
  }
  if (a === "domains") {
    const d = domains.get(b);
    if (c === "history") return ok(historyOf(d, Number(query.get("minutes") ?? 5)));
    if (c === "pool") return ok(poolOf(d));
    if (["pause", "resume", "flush", "drain"].includes(c)) {
      d.paused = c === "pause" || (c !== "resume" && d.paused);
      d.pausedAt = Date.now();
      if (c === "flush") d.conns = [];
      decide(
        d,
        { pause: "paused", resume: "resumed", flush: "flushed", drain: "drained" }[c],
        null,
        `${b} was ${{ pause: "paused", resume: "resumed", flush: "flushed", drain: "drained" }[c]} by admin.`,
      );
      return ok(poolOf(d));
    }
  }
  if (a === "databases" && !b && method === "POST") {
    if (body.host !== "127.0.0.1")
      return problem(422, "database-unreachable", "The database cannot be reached", {
        detail: `Connection to ${body.host}:${body.port} refused`,
        errors: [{ pointer: "/host", message: "connection refused" }],
      });
    databases.push({ ...databases[0], ...body, password: undefined, domains: [], open: 0 });
    sets.set(`databases/${body.name}`, [{ ...sets.get("databases/main")[0] }]);
    broadcast({ event: "domains" });
    return ok(databases.at(-1), {}, 201);
  }
  if (a === "databases" && !b) return ok({ items: databases });
  if (a === "databases") {
    const db = databases.find((d) => d.name === b);
    if (method === "PATCH") {
      const { password: _, ...rest } = body;
      Object.assign(db, rest);
    }
    if (method === "DELETE") {
      if (db.domains.length) return problem(409, "conflict", `${b} is still in use by ${db.domains.join(", ")}`);
      databases.splice(databases.indexOf(db), 1);
      broadcast({ event: "domains" });
      return { status: 204 };
    }
    return ok(db);
  }
  if (a === "policy-plugins")
    return ok({
      items: plugins.map((p) => ({
        ...p,
        usedBy: [...domains.keys()].filter((d) =>
          current(`domains/${d}`).policySet.policies.some((x) => x.plugin === p.id),
        ),
      })),
    });
  if (a === "decisions" || a === "audit") {
    const all =
        a === "audit"
          ? audit
          : decisions.filter((d) => ["domain", "kind", "policy"].every((k) => !query.get(k) || d[k] === query.get(k))),
      from = Number(query.get("cursor") ?? 0),
      n = Number(query.get("limit") ?? 50);
    return ok({ items: all.slice(from, from + n), nextCursor: from + n < all.length ? String(from + n) : null });
  }
  if (a === "workloads") {
    if (b) {
      const w = workloads.find((x) => x.name === b);
      if (method === "PATCH") Object.assign(w, body);
      return ok(load(w));
    }
    return ok({ items: workloads.map(load) });
  }
  return problem(404, "not-found", "No such resource");
}
const load = (w) => {
  const d = domains.get(w.name),
    rate = w.running ? w.ratePerSecond : 0;
  return { ...w, offeredPerSecond: rate * 1.02, achievedPerSecond: rate, latency: { ...latency(d), p99Ms: d.lat * 3 } };
};
const authorized = (req) =>
  req.headers.authorization === `Bearer ${token}` || req.headers.cookie?.includes(`headgate=${token}`);
const MIME = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

const server = createServer(async (req, res) => {
  const url = new URL(req.url, "http://x");
  if (!url.pathname.startsWith("/api/v1/")) {
    const file = join(dist, normalize(url.pathname));
    const found = extname(file) && existsSync(file) ? file : join(dist, "index.html");
    res.writeHead(200, {
      "content-security-policy":
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'",
      "content-type": MIME[extname(found)] ?? "application/octet-stream",
    });
    return res.end(existsSync(found) ? readFileSync(found) : "npm run build first");
  }
  let text = "";
  for await (const chunk of req) text += chunk;
  if (!authorized(req)) {
    const p = problem(401, "unauthenticated", "A token is needed");
    res.writeHead(401, { "content-type": p.type });
    return res.end(JSON.stringify(p.body));
  }
  const path = url.pathname.slice(8);
  if (path === "session" && req.method !== "GET") {
    res.writeHead(204, {
      "set-cookie": `headgate=${req.method === "POST" ? token : ""}; HttpOnly; SameSite=Strict; Path=/`,
    });
    return res.end();
  }
  const out = route(req.method, path, url.searchParams, text ? JSON.parse(text) : {}, req.headers);
  res.writeHead(out.status, { "content-type": out.type ?? "application/json", ...out.headers });
  res.end(out.body ? JSON.stringify(out.body) : undefined);
});
const wss = new WebSocketServer({ noServer: true });
server.on("upgrade", (req, socket, head) => {
  if (!authorized(req)) {
    socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
    return;
  }
  wss.handleUpgrade(req, socket, head, (s) => {
    sockets.add(s);
    s.seq = 0;
    s.on("close", () => sockets.delete(s));
    s.send(
      JSON.stringify({
        type: "hello",
        node: "headgate-1",
        epoch,
        schemaVersion: 1,
        time: iso(Date.now()),
        version: "0.1.0",
      }),
    );
    s.on("message", (m) => {
      const sub = JSON.parse(m);
      s.subscription = { connections: [], ...sub };
      refreshDatabases();
      const t = Date.now();
      s.send(
        JSON.stringify({
          type: "snapshot",
          seq: ++s.seq,
          time: iso(t),
          domains: [...domains.values()].map(poolOf),
          databases,
          history: Object.fromEntries([...domains.values()].map((d) => [d.name, historyOf(d, 5)])),
          connections: Object.fromEntries(
            s.subscription.connections.filter((c) => domains.has(c)).map((c) => [c, columnsOf(domains.get(c), t)]),
          ),
          events: decisions
            .slice(0, 50)
            .map((decision) => ({ type: "event", time: decision.time, event: "decision", decision })),
        }),
      );
    });
  });
});
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/?token=${token}`));
