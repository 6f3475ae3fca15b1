// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Domain } from "@/api/types";
import { questionBefore, SqlSettings } from "./SqlSettings";

vi.mock("@/stream/hooks", () => ({
  usePool: () => ({ arrivalsPerSecond: 44.6 }),
  useNow: () => 0,
}));

const BANK = { name: "bank", sql: { access: "write", maxRows: 0, maxBytes: 0, timeoutMs: 0 }, managedBy: null };

let patches: unknown[] = [];
const service = setupServer(
  http.patch("*/api/v1/domains/bank", async ({ request }) => {
    const body = (await request.json()) as { sql: Partial<Domain["sql"]> };
    patches.push(body);
    if (body.sql.timeoutMs === 99999999)
      return HttpResponse.json(
        {
          type: "https://headgate.dev/problems/invalid-request",
          status: 422,
          detail: "1 fault",
          errors: [{ pointer: "/sql/timeoutMs", message: "must be a number of milliseconds, was 99999999" }],
        },
        { status: 422 },
      );
    return HttpResponse.json(BANK);
  }),
);
beforeAll(() => service.listen());
afterAll(() => service.close());
afterEach(cleanup);
beforeEach(() => {
  patches = [];
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: vi.fn(), removeEventListener: vi.fn() }));
});

function show() {
  const onClose = vi.fn();
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <SqlSettings domain={BANK as unknown as Domain} opened onClose={onClose} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), onClose };
}

async function confirm(user: ReturnType<typeof userEvent.setup>) {
  const question = within(await screen.findByRole("dialog", { name: "Restrict SQL over HTTP on bank?" }));
  await user.click(question.getByRole("button", { name: "Change the settings" }));
}

it("sends what differs", async () => {
  const { user, onClose } = show();
  await user.selectOptions(screen.getByLabelText("Access"), "read");
  const rows = screen.getByLabelText("Most rows");
  await user.clear(rows);
  await user.type(rows, "1000");
  await user.click(screen.getByRole("button", { name: "Save changes" }));
  expect(patches).toEqual([]);
  await confirm(user);
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(patches).toEqual([{ sql: { access: "read", maxRows: 1000 } }]);
});

it("says at the field what is wrong with it, and keeps what was typed", async () => {
  const { user, onClose } = show();
  const time = screen.getByLabelText<HTMLInputElement>("Most time, in ms");
  await user.clear(time);
  await user.type(time, "soon");
  await user.click(screen.getByRole("button", { name: "Save changes" }));
  expect(screen.getByRole("alert").textContent).toBe("must be a whole number");
  expect(patches).toEqual([]);
  await user.clear(time);
  await user.type(time, "99999999");
  await user.click(screen.getByRole("button", { name: "Save changes" }));
  await confirm(user);
  await vi.waitFor(() => expect(screen.getByRole("alert").textContent).toContain("was 99999999"));
  expect(time.value).toBe("99999999");
  expect(onClose).not.toHaveBeenCalled();
});

it("asks before what refuses requests, and not before what allows more", () => {
  const read = { access: "read", maxRows: 10, maxBytes: 0, timeoutMs: 0 } as const;
  expect(questionBefore("bank", read, { access: "write", maxRows: 0 }, 3)).toBeNull();
  expect(questionBefore("bank", read, { access: "off", maxRows: 5 }, 3)?.lines).toEqual([
    "Every later request is refused: of this console, the API, and programs that speak Neon's protocol.",
    "Most rows: 5. More fail.",
    "3 requests a second arrive on bank, in all ways.",
  ]);
  expect(questionBefore("bank", read, { access: "off" }, undefined)?.lines[1]).toMatch(/is not known/);
});
