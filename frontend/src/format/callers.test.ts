import { expect, it } from "vitest";
import type { LeaseCaller } from "@/api/types";
import { nameOf, originOf, who } from "./callers";

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
  kind: "jdbc",
  holder: "",
  user: "",
  application: "",
  address: "",
  transaction: "",
  thread: "http-7",
};

it("names callers by what is known of them", () => {
  expect(nameOf(wire)).toBe("report");
  expect(originOf(wire)).toBe("app from 10.0.4.7:50432");
  expect(who(wire)).toBe("report (app from 10.0.4.7:50432)");
  expect(nameOf({ ...wire, application: "" })).toBe("app");
  expect(originOf({ ...wire, application: "" })).toBe("from 10.0.4.7:50432");
  expect(nameOf(thread)).toBe("http-7");
  expect(nameOf({ ...thread, thread: "", holder: "" })).toBe("unnamed");
  expect(originOf({ ...thread, thread: "", holder: "teller" })).toBe("in process");
});

it("tells which transaction over several requests it is", () => {
  const sql: LeaseCaller = { ...wire, kind: "sql", holder: "sql admin", user: "admin", address: "10.0.4.7" };
  expect(who(sql)).toBe("admin (from 10.0.4.7)");
  expect(who({ ...sql, transaction: "1a2b3c4d" })).toBe("admin (transaction 1a2b3c4d from 10.0.4.7)");
  expect(who({ ...sql, holder: "sql someone, transaction 9" })).toBe("admin (from 10.0.4.7)");
});
