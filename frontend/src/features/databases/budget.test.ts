import { expect, it } from "vitest";
import { overcommitted, questionBefore } from "./budget";

const main = { name: "main", host: "db", port: 5432, budget: 40, serverMaxConnections: 97, othersUse: 7 };
const blog = { ...main, name: "blog", budget: 30 };
const elsewhere = { ...main, name: "elsewhere", host: "db2", budget: 500 };

it("adds up what is promised of one server", () => {
  expect(overcommitted(60, main, [main, blog, elsewhere])).toBeNull();
  expect(overcommitted(61, main, [main, blog, elsewhere])).toBe(
    "The budgets on this server (main 61, blog 30) and 7 connections of others are more than the 97 connections that the server gives. It will refuse some.",
  );
  expect(overcommitted(98, { ...main, othersUse: 0 }, [main])).toContain("A budget of 98 is more than the 97");
});

it("says nothing of a server that has not answered yet, and of what is no number", () => {
  expect(overcommitted(1000, { ...main, serverMaxConnections: null as never }, [main])).toBeNull();
  expect(overcommitted(Number.NaN, main, [main])).toBeNull();
});

it("asks before a budget below what is open", () => {
  expect(questionBefore("main", 30, 30)).toBeNull();
  expect(questionBefore("main", 20, 27)?.lines[0]).toBe("27 connections are open now: 7 must close.");
});
