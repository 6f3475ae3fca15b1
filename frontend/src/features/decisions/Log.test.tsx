// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { Decision } from "@/api/types";
import { Log } from "./Log";
import type { LogFilter } from "./merge";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
vi.mock("@/stream/hooks", () => ({
  usePools: () => [{ domain: "bank" }],
  useLive: () => [{ name: "main" }],
  useDecisions: () => streamed,
}));

let streamed: Decision[] = [];
let read = 0;

const nothing = () => HttpResponse.json({ items: [], nextCursor: null, lost: 0 });
const decisions = () => {
  read++;
  return nothing();
};
const service = setupServer(http.get("*/api/v1/decisions", decisions), http.get("*/api/v1/policy-plugins", nothing));
beforeAll(() => service.listen({ onUnhandledRequest: "error" }));
afterEach(cleanup);
afterAll(() => service.close());

/** The log with a filter that never follows, as the address until the browser has navigated. */
function show(filter: LogFilter) {
  const onFilter = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Log filter={filter} onFilter={onFilter} />
    </QueryClientProvider>,
  );
  return onFilter;
}

it("keeps what is typed until the address has followed, so that the caret stays", async () => {
  const onFilter = show({ kind: "grew" });
  const box = screen.getByLabelText<HTMLInputElement>("Text in the decision");
  fireEvent.change(box, { target: { value: "ceiling" } });
  expect(box.value).toBe("ceiling");
  await vi.waitFor(() => expect(onFilter).toHaveBeenCalledWith({ kind: "grew", q: "ceiling" }));
  expect(onFilter).toHaveBeenCalledOnce();
});

it("shows the domain that it is filtered by, also if there is none of that name", () => {
  show({ domain: "gone" });
  expect(screen.getByLabelText<HTMLSelectElement>("Domain").value).toBe("gone");
});

it("offers the kinds of decisions in words", () => {
  const onFilter = show({});
  fireEvent.change(screen.getByLabelText("Kind"), { target: { value: "limits" } });
  expect(screen.getByRole("option", { name: "limits changed" })).toBeTruthy();
  expect(onFilter).toHaveBeenCalledWith({ kind: "limits" });
});

it("is read again before the stream forgets what it has told since it was read", async () => {
  const page = () => (
    <QueryClientProvider client={queries}>
      <Log filter={{}} onFilter={() => {}} />
    </QueryClientProvider>
  );
  const queries = new QueryClient();
  const { rerender } = render(page());
  await screen.findByText("Nothing was changed or refused yet.");
  const before = read;
  const told = (number: number) =>
    Array.from({ length: number }, (_, i) => {
      const time = new Date(Date.now() + 60_000 - i).toISOString();
      return { id: String(i), time, kind: "grew", message: "bank grew", domain: "bank", count: 1 } as Decision;
    });
  streamed = told(100);
  rerender(page());
  await new Promise((passed) => setTimeout(passed, 0));
  expect(read).toBe(before);
  streamed = told(101);
  rerender(page());
  await vi.waitFor(() => expect(read).toBe(before + 1));
});
