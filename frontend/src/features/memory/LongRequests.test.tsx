// @vitest-environment jsdom

import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LongWork } from "@/api/types";
import { LongRequests } from "./LongRequests";

const WORK: LongWork = {
  id: "1",
  kind: "plan",
  of: "domains/shop",
  author: "admin",
  state: "running",
  elapsedMs: 2_000,
  progress: 0.25,
  memoryBytes: 262_144,
  cancellable: true,
};

let items: LongWork[] = [];
let posted: string[] = [];

beforeEach(() => {
  posted = [];
  vi.stubGlobal("fetch", (request: Request) => {
    if (request.method === "POST") {
      posted.push(new URL(request.url).pathname);
      items = [];
      return Promise.resolve(Response.json(WORK));
    }
    return Promise.resolve(Response.json({ items }));
  });
});

afterEach(cleanup);

function show() {
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <LongRequests />
      </QueryClientProvider>
    </MantineProvider>,
  );
}

it("shows how far the work is, and cancels it after a question", async () => {
  items = [WORK];
  show();
  const row = (await screen.findByText("Plan of domains/shop")).closest("tr") as HTMLElement;
  within(row).getByText(/25 %/);
  fireEvent.click(within(row).getByRole("button", { name: "Cancel: Plan of domains/shop…" }));
  expect(posted).toEqual([]);
  screen.getByText("admin has waited 2 s for it, and is told that it was cancelled.");
  fireEvent.click(screen.getByRole("button", { name: "Cancel this work" }));
  await screen.findByText("Nothing takes long now.");
  expect(posted).toEqual(["/api/v1/long-requests/1/cancel"]);
});

it("offers no end to what changes something, and no progress that nobody told", async () => {
  items = [{ ...WORK, kind: "apply", of: "files/team", cancellable: false, progress: null }];
  show();
  const row = (await screen.findByText("Use of files/team")).closest("tr") as HTMLElement;
  expect(within(row).queryByRole("progressbar")).toBeNull();
  expect((within(row).getByRole("button") as HTMLButtonElement).disabled).toBe(true);
});
