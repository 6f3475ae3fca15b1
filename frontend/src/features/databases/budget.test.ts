import { expect, it } from "vitest";
import { overcommitted, questionBefore } from "./budget";

const main = {
  name: "main",
  host: "db",
  port: 5432,
  budget: 40,
  serverMaxConnections: 97,
  othersUse: 7,
  serverStartedAt: null,
};
const blog = { ...main, name: "blog", budget: 30 };
const elsewhere = { ...main, name: "elsewhere", host: "db2", budget: 500 };

it("adds up what is promised of one server", () => {
  expect(overcommitted(60, main, [main, blog, elsewhere])).toBeNull();
  expect(overcommitted(61, main, [main, blog, elsewhere])).toBe(
    "The budgets on this server (main 61, blog 30) and 7 connections of others are more than the 97 connections that the server gives. It will refuse some.",
  );
  expect(overcommitted(98, main, [{ ...main, othersUse: 0 }])).toContain("A budget of 98 is more than the 97");
});

it("counts a database that is not added yet, or that moves", () => {
  expect(overcommitted(20, { name: "", host: "db", port: 5432 }, [main, blog, elsewhere])).toBeNull();
  expect(overcommitted(21, { name: "", host: "db", port: 5432 }, [main, blog, elsewhere])).toContain(
    "(this one 21, main 40, blog 30) and 7 connections of others are more than the 97",
  );
  expect(overcommitted(21, { ...elsewhere, host: "db" }, [main, blog, elsewhere])).toContain("elsewhere 21, main 40");
});

it.each(["localhost", "127.0.0.1", "127.0.1.1", "::1", "[::1]", "LOCALHOST", "db.localhost", "localhost."])(
  "knows this machine by the name %s",
  (host) => {
    const here = { ...main, host: "localhost" };
    expect(overcommitted(70, { name: "", host, port: 5432 }, [here])).toContain("(this one 70, main 40)");
    expect(overcommitted(70, { name: "", host, port: 5433 }, [here])).toBeNull();
  },
);

it("knows a server by when it started, whatever name it was reached by", () => {
  const started = "2026-11-21T12:00:00.123456Z";
  const one = { ...main, serverStartedAt: started };
  const alias = { ...blog, host: "db.internal", serverStartedAt: started };
  const other = { ...elsewhere, serverStartedAt: "2026-11-21T12:00:00.123457Z" };
  expect(overcommitted(61, one, [one, alias, other])).toContain("(main 61, blog 30)");
  expect(overcommitted(60, one, [one, alias, other])).toBeNull();
  expect(overcommitted(20, { name: "", host: "db.internal", port: 5432 }, [one, alias])).toBeNull();
  expect(overcommitted(21, { name: "", host: "db.internal", port: 5432 }, [one, alias])).toContain("main 40, blog 30");
});

it("says nothing of a server that has not answered yet, and of what is no number", () => {
  expect(overcommitted(1000, main, [{ ...main, serverMaxConnections: null as never }])).toBeNull();
  expect(overcommitted(Number.NaN, main, [main])).toBeNull();
});

const used = { name: "main", domains: ["bank", "shop"], budget: 40 };
const pools = [
  { size: 20, inUse: 4 },
  { size: 7, inUse: 3 },
];
const told = { open: 27, pools, current: true };

it("asks before a budget below what is open", () => {
  expect(questionBefore(used, { budget: 27 }, told)).toBeNull();
  expect(questionBefore(used, {}, told)).toBeNull();
  expect(questionBefore(used, { budget: 20 }, told)).toMatchObject({
    title: "Lower the budget of main to 20?",
    lines: ["27 connections are open: 7 must close.", expect.anything(), expect.anything()],
  });
});

it("asks before other settings, which flush every pool", () => {
  expect(questionBefore(used, { host: "db2" }, told)).toMatchObject({
    title: "Change main and flush its pools?",
    lines: [
      "Every pool on it is flushed: bank, shop. 27 connections are closed and opened with the new settings.",
      "7 of them in use are replaced when released; no work is cut.",
    ],
  });
  expect(questionBefore(used, { password: "x", budget: 20 }, told)?.lines[2]).toContain("7 must close");
  expect(questionBefore({ ...used, domains: [] }, { host: "db2" }, told)).toBeNull();
});

it("asks before any lower budget while the figures are old or unknown, and invents none", () => {
  expect(questionBefore(used, { budget: 30 }, { ...told, current: false })?.lines[0]).toBe(
    "27 connections are open: 0 must close.",
  );
  expect(questionBefore(used, { budget: 41 }, { ...told, current: false })).toBeNull();
  const nothing = { open: undefined, pools: undefined, current: false };
  expect(questionBefore(used, { budget: 39, host: "db2" }, nothing)?.lines).toEqual([
    "Every pool on it is flushed: bank, shop.",
    "Those in use are replaced when released; no work is cut.",
    "Idle ones close now, those in use when they are released. No work is cut.",
    "Until then no domain on it gets a new connection.",
    "How many connections and requests this concerns is not known: the live stream has not told.",
  ]);
});
