// @vitest-environment jsdom
import { EditorView } from "@codemirror/view";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { SqlRequest } from "@/api/types";
import { Console } from "./Console";
import { remember } from "./history";

vi.mock("@/stream/hooks", () => ({ useTick: () => 0, usePool: () => undefined, useNow: () => 0 }));
vi.mock("@/api/domains", () => ({ useDomain: () => undefined }));
vi.mock("@/ui/role", () => ({ useMayChange: () => true }));

const ANSWER = `{"columns":[]}
{"done":{"rows":0,"command":"SELECT"}}
{"end":{"rows":0,"elapsedMs":1,"waitedMs":0,"connection":"bank-1"}}
`;

let refused = 0;
const sent: SqlRequest[] = [];
const service = setupServer(
  http.post("*/api/v1/domains/bank/sql", async ({ request }) => {
    const body = (await request.json()) as SqlRequest;
    if (!body.sql?.includes("pg_attribute")) {
      sent.push(body);
      return new HttpResponse(ANSWER);
    }
    if (refused++ === 0) return HttpResponse.json({ status: 503, detail: "No connection." }, { status: 503 });
    return HttpResponse.json({ results: [{ data: [] }] });
  }),
);
beforeAll(() => {
  service.listen();
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList; // CodeMirror measures, and jsdom has no layout
});
afterAll(() => service.close());
afterEach(cleanup);
beforeEach(() => {
  refused = 0;
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: vi.fn(), removeEventListener: vi.fn() }));
});

const show = () =>
  render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <Console domain="bank" />
      </QueryClientProvider>
    </MantineProvider>,
  );

it("asks for the catalogue again after a statement, where it was refused before", async () => {
  remember("bank", { sql: "SELECT 1", at: 0, elapsedMs: 1, rows: 1, outcome: "complete" });
  show();
  await screen.findByText(/the catalogue could not be read/);
  fireEvent.click(screen.getByRole("button", { name: "Run" }));
  await waitFor(() => expect(screen.queryByText(/the catalogue could not be read/)).toBeNull());
});

it("has what was written and not run when its page is opened again", async () => {
  const page = show();
  const editor = await screen.findByRole("textbox", { name: "SQL for bank" });
  const text = "SELECT aid\nFROM pgbench_accounts";
  const view = EditorView.findFromDOM(editor) as EditorView;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  page.unmount();
  show();
  const again = await screen.findByRole("textbox", { name: "SQL for bank" });
  expect(EditorView.findFromDOM(again)?.state.doc.toString()).toBe(text);
});

it("explains every statement that is selected", async () => {
  show();
  const view = EditorView.findFromDOM(await screen.findByRole("textbox", { name: "SQL for bank" })) as EditorView;
  const text = "SELECT 1;\nEXPLAIN SELECT 2";
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0, head: 26 } });
  fireEvent.click(screen.getByRole("button", { name: "Explain" }));
  await waitFor(() => expect(sent.at(-1)?.statements).toHaveLength(2));
  for (const [i, { sql }] of (sent.at(-1)?.statements ?? []).entries())
    expect(sql).toMatch(new RegExp(`^EXPLAIN \\(ANALYZE, .*\\) SELECT ${i + 1}`));
});

it("says that there is no statement to run", async () => {
  show();
  const view = EditorView.findFromDOM(await screen.findByRole("textbox", { name: "SQL for bank" })) as EditorView;
  const write = (text: string) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  write("-- SELECT 1");
  const before = sent.length;
  fireEvent.click(screen.getByRole("button", { name: "Run" }));
  await screen.findByText("There is no statement to run.");
  expect(sent).toHaveLength(before);
  write("SELECT 1");
  fireEvent.click(screen.getByRole("button", { name: "Run" }));
  await waitFor(() => expect(screen.queryByText("There is no statement to run.")).toBeNull());
});
