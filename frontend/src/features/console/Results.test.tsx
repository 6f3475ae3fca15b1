// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import type { Execution, Result } from "@/sql/execution";
import { Results } from "./Results";
import type { Sent } from "./sent";

afterEach(cleanup);

const SENT: Sent = { pieces: [{ sql: "SELECT\n  x", from: 0, line: 1 }], explain: false, readOnly: true };

function show(execution: Partial<Execution>, sent = SENT) {
  const onGo = vi.fn();
  const base = {
    outcome: "complete",
    results: [],
    startedAt: 0,
    elapsedMs: 1,
    firstRowMs: null,
    end: null,
    error: null,
  };
  render(
    <MantineProvider env="test">
      <Results domain="bank" sent={sent} execution={{ ...base, ...execution } as Execution} onGo={onGo} />
    </MantineProvider>,
  );
  return onGo;
}

const result = (more: Partial<Result>): Result => ({ columns: [], rows: [], count: 0, ...more });

it("says why the gate refused a connection, and that a role may not", () => {
  const detail = "No connection of bank within 5000 ms; latency-cap: the mean is 31 ms, over the cap of 20 ms";
  show({ outcome: "refused", error: new Problem({ detail, type: "…/exhausted" }, 503) });
  expect(screen.getByRole("alert").textContent).toBe(detail);
  cleanup();
  show({ outcome: "refused", error: new Problem({ detail: "A viewer may not." }, 403) });
  expect(screen.getByRole("alert").textContent).toBe(
    "This session may not execute statements on bank: A viewer may not.",
  );
});

it("says which of several statements Headgate refuses, and why", () => {
  const why = "Headgate begins and ends this read-only transaction";
  const errors = [0, 2].map((n) => ({
    pointer: `/statements/${n}/sql`,
    message: `cannot be ${n ? "COMMIT" : "BEGIN"}: ${why}`,
  }));
  const title = "The request is not valid";
  show({ outcome: "failed", error: new Problem({ title, detail: "2 faults", errors }, 422) });
  expect(screen.getByRole("alert").textContent).toBe(
    `The request is not valid: statement 1 cannot be BEGIN: ${why}; statement 3 cannot be COMMIT: ${why}`,
  );
  cleanup();
  show({ outcome: "failed", error: new Problem({ title, detail: "1 fault", errors: errors.slice(1) }, 422) });
  expect(screen.getByRole("alert").textContent).toBe(`The request is not valid: statement 3 cannot be COMMIT: ${why}`);
});

it("shows an error with all that PostgreSQL says, and leads to its place", async () => {
  const error = { code: "42703", message: "no column x", detail: "D.", hint: "H.", position: 10 };
  const onGo = show({ outcome: "failed", results: [result({ error })] });
  const alert = within(screen.getByRole("alert"));
  for (const text of ["no column x", "SQLSTATE 42703", "Detail: D.", "Hint: H."]) alert.getByText(text);
  await userEvent.click(alert.getByRole("button", { name: "Go to line 2" }));
  expect(onGo).toHaveBeenCalledWith(9);
});

it("says what is missing of the rows", () => {
  const columns = [{ name: "a", type: "int4" }];
  show({
    results: [result({ columns, rows: [["1"]], count: 3, done: { rows: 3, command: "SELECT", limited: true } })],
  });
  expect(screen.getByText(/The row limit of 3 was reached/)).toBeTruthy();
  expect(screen.getByText(/keeps the first 1 rows\. 2 more were counted/)).toBeTruthy();
  cleanup();
  show({ outcome: "cut", results: [result({ columns, rows: [["1"]], count: 1 })] }, { ...SENT, readOnly: false });
  expect(screen.getByRole("alert").textContent).toContain("may have been executed");
});

it("shows the statement that failed, and lets the others be chosen", async () => {
  const error = { code: "22012", message: "division by zero" };
  show({ outcome: "failed", results: [result({ done: { rows: 2, command: "UPDATE" } }), result({ error })] });
  expect(screen.getByRole("radio", { name: "2 failed" })).toHaveProperty("checked", true);
  expect(screen.getByRole("alert").textContent).toContain("division by zero");
  await userEvent.click(screen.getByRole("radio", { name: "1 UPDATE, 2 rows" }));
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.getByText("The statement returned no rows.")).toBeTruthy();
});

it("says that a statement cannot be explained, and not that it is wrong", () => {
  const error = { code: "42601", message: 'syntax error at or near "SHOW"', position: 45 };
  const pieces = [{ sql: "SHOW work_mem", from: 0, line: 1 }];
  show({ outcome: "failed", results: [result({ error })] }, { pieces, explain: true, readOnly: true });
  expect(screen.getByRole("alert").textContent).toMatch(/^This statement cannot be explained\. .* at or near "SHOW"$/);
  expect(screen.queryByRole("button")).toBeNull();
});
