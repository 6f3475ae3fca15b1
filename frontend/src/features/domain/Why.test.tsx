// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { LimitRow } from "@/api/types";
import { Why } from "./Why";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));

const standing = {
  id: "d1",
  time: "2026-11-26T03:07:08Z",
  revision: 1,
  message: "bank may hold 2 to 10 connections, was 2 to 8.",
};
let sentence = "";
let limits: LimitRow[] = [];
const service = setupServer(
  http.get("*/api/v1/domains/bank/why", () =>
    HttpResponse.json({ at: standing.time, sentence, moment: null, limits, decisions: [], standing }),
  ),
);
beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
});
afterEach(cleanup);
afterAll(() => service.close());

async function text(told: string): Promise<string> {
  sentence = told;
  render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <Why domain="bank" at="now" onClose={() => {}} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return (await screen.findByTestId("why")).textContent ?? "";
}

it("says since when the limits hold, which is later than the revision in force", async () => {
  expect(await text("bank had 1 of 10 connections in use on average.")).toMatch(
    /These limits since [-\d: ]+rev 1: bank may hold 2 to 10 connections, was 2 to 8\.$/,
  );
});

it("does not say again what its sentence says already", async () => {
  expect(await text(`Nobody waited in bank. Revision 1 was in force: ${standing.message}`)).not.toContain("since");
});

it("tells what is not known of a moment from what has no bound", async () => {
  const row = { binds: false, next: false };
  limits = [
    { ...row, source: "policy", name: "tiers", allows: null, known: true, sentence: "gold." },
    { ...row, source: "budget", name: "main", allows: null, known: false, sentence: "The budget is not kept." },
  ];
  const told = await text("bank had 1 of 10 connections in use on average.");
  expect(told).toContain("policy tiers anygold.");
  expect(told).toContain("budget of main not knownThe budget is not kept.");
  expect(told).toContain("Which of them was the limit cannot be told");
});

it("tells both answers of a plugin that is used twice, whatever their order becomes", async () => {
  const told = vi.spyOn(console, "error");
  const row = { source: "policy", name: "min-max", known: true, next: false } as const;
  limits = [
    { ...row, allows: 5, binds: true, sentence: "5 at night." },
    { ...row, allows: 9, binds: false, sentence: "9 by day." },
  ];
  expect(await text("bank had 1 of 5 connections in use on average.")).toMatch(/5 at night\..*9 by day\./);
  expect(told).not.toHaveBeenCalled();
});
