// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { Annotate } from "./Annotate";

vi.mock("@/stream/hooks", () => ({
  usePool: () => ({ name: "bank", database: "main" }),
  usePools: () => [{ domain: "bank", database: "main" }],
}));

const AT = Date.parse("2026-11-23T21:15:07Z");
let annotations: { id: string; kind: string; text: string; [more: string]: unknown }[] = [];
let posted: unknown[] = [];
let refusal: Record<string, unknown> | null = null;
const service = setupServer(
  http.get("*/api/v1/annotations", () => HttpResponse.json({ items: annotations, nextCursor: null })),
  http.post("*/api/v1/annotations", async ({ request }) => {
    posted.push(await request.json());
    return refusal ? HttpResponse.json(refusal, { status: 422 }) : HttpResponse.json({ id: "n" }, { status: 201 });
  }),
  http.delete("*/api/v1/annotations/:id", ({ params }) => {
    annotations = annotations.filter((each) => each.id !== params.id);
    return new HttpResponse(null, { status: 204 });
  }),
);
beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
});
beforeEach(() => {
  [annotations, posted, refusal] = [[], [], null];
});
afterEach(cleanup);
afterAll(() => service.close());

function show() {
  const closed = vi.fn();
  render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <Annotate domain="bank" at={AT} past={{ lastMs: 3_600_000 }} onClose={closed} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { closed, user: userEvent.setup() };
}

it("marks the moment that it was opened at, with a kind and a text", async () => {
  const { closed, user } = show();
  await user.click(await screen.findByRole("radio", { name: "Deploy" }));
  screen.getByText("Kind");
  screen.getByText("On the charts of");
  await user.type(screen.getByLabelText("Text"), " shop 4.2 ");
  await user.click(screen.getByRole("button", { name: "Annotate" }));
  await waitFor(() => expect(closed).toHaveBeenCalled());
  expect(posted).toEqual([{ kind: "deploy", text: "shop 4.2", domain: "bank", time: "2026-11-23T21:15:07.000Z" }]);
});

it("marks the charts of a whole database, or of all domains", async () => {
  for (const [choice, whose] of [
    ["all of main", { database: "main" }],
    ["all domains", {}],
  ] as const) {
    const { closed, user } = show();
    await user.click(await screen.findByRole("radio", { name: choice }));
    await user.type(screen.getByLabelText("Text"), "moved");
    await user.click(screen.getByRole("button", { name: "Annotate" }));
    await waitFor(() => expect(closed).toHaveBeenCalled());
    expect(posted.pop()).toEqual({ kind: "note", text: "moved", ...whose, time: "2026-11-23T21:15:07.000Z" });
    cleanup();
  }
});

it("says at the field what the service refuses, and stays open", async () => {
  refusal = {
    type: "https://headgate.dev/problems/invalid-request",
    title: "The request is not valid",
    status: 422,
    errors: [{ pointer: "/time", message: "must be at most a day ahead" }],
  };
  const { closed, user } = show();
  await user.type(await screen.findByLabelText("Text"), "x");
  await user.click(screen.getByRole("button", { name: "Annotate" }));
  expect((await screen.findByRole("alert")).textContent).toBe("must be at most a day ahead");
  expect(closed).not.toHaveBeenCalled();
});

it("lists what the charts show, says whose charts those are, and removes one", async () => {
  const time = "2026-11-23T21:00:00Z";
  const of = { time, author: "admin", tags: [], createdAt: time };
  annotations = [
    { id: "1", kind: "note", text: "mine", domain: "bank", database: "main", ...of },
    { id: "2", kind: "failover", text: "other", domain: null, database: "main", ...of },
  ];
  const { user } = show();
  expect((await screen.findByText(/all domains of main/)).textContent).toContain("by admin");
  await user.click(screen.getByRole("button", { name: "Remove note mine" }));
  await screen.findByText("It goes from the charts of bank, for everybody.");
  expect(annotations).toHaveLength(2);
  await user.click(screen.getByRole("button", { name: "Remove it" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Remove note mine" })).toBeNull());
  await user.click(screen.getByRole("button", { name: "Remove failover other" }));
  await screen.findByText("It goes from the charts of all domains of main: 1 now, for everybody.");
  expect(annotations).toHaveLength(1);
  await user.click(screen.getByRole("button", { name: "Remove it" }));
  await waitFor(() => expect(annotations).toEqual([]));
});
