// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Domain } from "@/api/types";
import { MayChange } from "@/ui/role";
import { Labels } from "./Labels";

const NAME = { message: "must be a label's name, was Team", allowed: "1 to 63 characters" };
let patches: unknown[] = [];
const service = setupServer(
  http.patch("*/api/v1/domains/bank", async ({ request }) => {
    const body = (await request.json()) as { labels: Record<string, string> };
    patches.push(body);
    if (!("Team" in body.labels)) return HttpResponse.json({ name: "bank", ...body });
    const errors = [{ pointer: "/labels/Team", ...NAME }];
    const type = "https://headgate.dev/problems/invalid-request";
    return HttpResponse.json({ type, status: 422, detail: "1 fault", errors }, { status: 422 });
  }),
);
beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
});
beforeEach(() => {
  patches = [];
});
afterEach(cleanup);
afterAll(() => service.close());

const queries = new QueryClient();

const page = (labels: Domain["labels"], mayChange = true) => (
  <MantineProvider env="test">
    <QueryClientProvider client={queries}>
      <MayChange value={mayChange}>
        <Labels domain={{ name: "bank", labels, managedBy: "files: shop" } as Domain} />
      </MayChange>
    </QueryClientProvider>
  </MantineProvider>
);

let rerender: ReturnType<typeof render>["rerender"];

function show(labels: Domain["labels"], mayChange = true) {
  ({ rerender } = render(page(labels, mayChange)));
  return userEvent.setup();
}

async function opened(user: ReturnType<typeof userEvent.setup>) {
  await user.click(screen.getByRole("button", { name: "Labels…" }));
  return within(await screen.findByRole("dialog", { name: "Labels of bank" }));
}

it("shows the labels, also to a reader, who has no form", () => {
  show({ team: "payments", zone: "eu" }, false);
  expect(screen.getByText("team:payments")).toBeTruthy();
  expect(screen.getByText("zone:eu")).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

it("changes a label, removes one and adds one, and sends all that are left", async () => {
  const user = show({ team: "payments", zone: "eu" });
  const form = await opened(user);
  expect(form.getByText(/managed by files: shop/)).toBeTruthy();
  await user.clear(form.getByLabelText("Value of label 1"));
  await user.type(form.getByLabelText("Value of label 1"), " cards ");
  await user.click(form.getByRole("button", { name: "Remove label 2" }));
  expect(document.activeElement).toBe(form.getByRole("button", { name: "Add a label" }));
  await user.click(form.getByRole("button", { name: "Add a label" }));
  expect(document.activeElement).toBe(form.getByLabelText("Name of label 2"));
  await user.keyboard("cost.center");
  await user.type(form.getByLabelText("Value of label 2"), "7");
  await user.click(form.getByRole("button", { name: "Add a label" })); // one that stays empty
  await user.click(form.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(patches).toEqual([{ labels: { team: "cards", "cost.center": "7" } }]);
});

it("does not take back what somebody else changed while it was open", async () => {
  const user = show({ team: "payments", zone: "eu", tier: "old" });
  const form = await opened(user);
  await user.clear(form.getByLabelText("Value of label 1"));
  await user.type(form.getByLabelText("Value of label 1"), "cards");
  await user.click(form.getByRole("button", { name: "Remove label 3" }));
  rerender(page({ team: "payments", tier: "new", stage: "prod" })); // zone was removed, and stage added
  await user.click(form.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(patches).toEqual([{ labels: { team: "cards", stage: "prod" } }]);
});

it("sends nothing where nothing is changed", async () => {
  const user = show({ team: "payments" });
  const form = await opened(user);
  await user.click(form.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(patches).toEqual([]);
});

it("says at the label what the service refuses, and keeps what was typed", async () => {
  const user = show({ team: "payments" });
  const form = await opened(user);
  const name = form.getByLabelText<HTMLInputElement>("Name of label 1");
  await user.clear(name);
  await user.type(name, "Team");
  await user.click(form.getByRole("button", { name: "Save changes" }));
  expect((await form.findByRole("alert")).textContent).toBe(
    "Team must be a label's name, was Team (allowed: 1 to 63 characters)",
  );
  expect(name.getAttribute("aria-invalid")).toBe("true");
  expect(name.value).toBe("Team");
});

it("sends no name that is there twice", async () => {
  const user = show({ team: "payments" });
  const form = await opened(user);
  await user.click(form.getByRole("button", { name: "Add a label" }));
  await user.keyboard("team");
  await user.type(form.getByLabelText("Value of label 2"), "media");
  await user.click(form.getByRole("button", { name: "Save changes" }));
  expect(form.getByRole("alert").textContent).toBe("team is there already");
  expect(form.getByLabelText("Name of label 1").getAttribute("aria-invalid")).toBeNull();
  expect(patches).toEqual([]);
});
