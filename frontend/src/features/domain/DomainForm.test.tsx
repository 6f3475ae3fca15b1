// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { DomainForm } from "./DomainForm";

const NAME = { message: "must be a label's name, was Team", allowed: "1 to 63 characters" };
let posts: { labels: Record<string, string> }[] = [];
const service = setupServer(
  http.get("*/api/v1/databases", () => HttpResponse.json({ databases: [{ name: "main" }] })),
  http.post("*/api/v1/domains", async ({ request }) => {
    const body = (await request.json()) as (typeof posts)[number] & { name: string };
    posts.push(body);
    if (!("Team" in body.labels)) return HttpResponse.json(body, { status: 201 });
    const errors = [{ pointer: "/labels/Team", ...NAME }];
    const type = "https://headgate.dev/problems/invalid-request";
    return HttpResponse.json({ type, status: 422, detail: "1 fault", errors }, { status: 422 });
  }),
);
beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
});
beforeEach(() => {
  posts = [];
});
afterEach(cleanup);
afterAll(() => service.close());

function show() {
  const made: string[] = [];
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <DomainForm onMade={(name) => made.push(name)} onCancel={() => {}} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), made };
}

it("creates a domain with its labels", async () => {
  const { user, made } = show();
  await user.type(screen.getByLabelText("Name"), "checkout");
  await user.click(screen.getByRole("button", { name: "Add a label" }));
  await user.keyboard("team");
  await user.type(screen.getByLabelText("Value of label 1"), "payments");
  await user.click(screen.getByRole("button", { name: "Create the domain" }));
  await vi.waitFor(() => expect(made).toEqual(["checkout"]));
  expect(posts.map(({ labels }) => labels)).toEqual([{ team: "payments" }]);
});

it("says at a number's field that its text is none, and does not take an empty one for 0", async () => {
  const { user, made } = show();
  await user.type(screen.getByLabelText("Name"), "checkout");
  await user.clear(screen.getByLabelText("min"));
  await user.type(screen.getByLabelText("max"), "x");
  await user.click(screen.getByRole("button", { name: "Create the domain" }));
  expect(screen.getAllByRole("alert").map((alert) => alert.textContent)).toEqual([
    "must be a whole number",
    "must be a whole number",
  ]);
  expect(posts).toEqual([]);
  await user.type(screen.getByLabelText("min"), "0");
  await user.clear(screen.getByLabelText("max"));
  await user.type(screen.getByLabelText("max"), "4");
  await user.click(screen.getByRole("button", { name: "Create the domain" }));
  await vi.waitFor(() => expect(made).toEqual(["checkout"]));
});

it("says at a label what the service refuses, and nothing twice", async () => {
  const { user, made } = show();
  await user.type(screen.getByLabelText("Name"), "checkout");
  await user.click(screen.getByRole("button", { name: "Add a label" }));
  await user.keyboard("Team");
  await user.click(screen.getByRole("button", { name: "Create the domain" }));
  const alerts = await screen.findAllByRole("alert");
  expect(alerts.map((alert) => alert.textContent)).toEqual([
    "Team must be a label's name, was Team (allowed: 1 to 63 characters)",
  ]);
  expect(made).toEqual([]);
});

it("sends no label that is there twice", async () => {
  const { user } = show();
  await user.type(screen.getByLabelText("Name"), "checkout");
  for (const value of ["payments", "media"]) {
    await user.click(screen.getByRole("button", { name: "Add a label" }));
    await user.keyboard(`team{Tab}${value}`);
  }
  await user.click(screen.getByRole("button", { name: "Create the domain" }));
  expect(screen.getByRole("alert").textContent).toBe("team is there already");
  expect(posts).toEqual([]);
});
