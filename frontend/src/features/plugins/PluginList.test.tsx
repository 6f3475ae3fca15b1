// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import type { ReactNode } from "react";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { PluginList } from "./PluginList";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/">{children}</a>,
}));

const version = (text: string, usedBy: string[]) => ({
  id: "cap",
  version: text,
  description: "Caps.",
  source: `cap-${text}.jar`,
  sha256: "ab".repeat(32),
  builtIn: false,
  newest: usedBy.length === 0,
  parameterSchema: {},
  usedBy,
});
const drift = { pointer: "/policies/0/parameters/max", from: 19, to: 3 };

let parameters: (typeof drift)[] = [];
let adopted = 0;
let asked: unknown;
const move = () => ({ domain: "bank", from: ["1"], revision: 4, outcome: "adopted", reason: null, parameters });
const refusal = () => ({
  domain: "shop",
  from: ["1"],
  revision: 2,
  outcome: "refused",
  reason: "it is managed by files",
  parameters: [{ ...drift, to: 5 }],
});
let moves = () => [move()] as object[];
let installed: object[] = [];
const service = setupServer(
  http.get("*/api/v1/policy-plugins", () => HttpResponse.json({ items: installed, refused: [] })),
  http.post("*/api/v1/policy-plugins", () => {
    const plugin = { ...version("1", []), id: "own" };
    installed = [...installed, plugin];
    return HttpResponse.json(plugin, { status: 201 });
  }),
  http.delete("*/api/v1/policy-plugins/own/1", () => {
    installed = installed.slice(0, 2);
    return new HttpResponse(null, { status: 204 });
  }),
  http.post("*/api/v1/policy-plugins/cap/2/adopt/plan", () => HttpResponse.json({ items: moves() })),
  http.post("*/api/v1/policy-plugins/cap/2/adopt", async ({ request }) => {
    adopted++;
    asked = await request.json();
    return HttpResponse.json({ items: [move()] });
  }),
);

const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });

beforeAll(() => service.listen({ onUnhandledRequest: "error" }));
afterAll(() => service.close());
beforeEach(() => {
  adopted = 0;
  moves = () => [move()];
  installed = [version("1", ["bank"]), version("2", [])];
  render(
    <MantineProvider>
      <QueryClientProvider client={queries}>
        <PluginList />
      </QueryClientProvider>
    </MantineProvider>,
  );
});
afterEach(() => {
  cleanup();
  service.resetHandlers();
  queries.clear();
});

it("says whom a version moves, and adopts it when that is confirmed", async () => {
  parameters = [];
  await userEvent.click(await screen.findByRole("button", { name: "Adopt 2 (1)…" }));
  expect((await screen.findByRole("dialog")).textContent).toContain("bank moves to 2, each in a new revision");
  expect(adopted).toBe(0);
  await userEvent.click(screen.getByRole("button", { name: "Adopt 2" }));
  expect((await screen.findByRole("status")).textContent).toBe("Moved to 2: bank (rev 4).");
  expect(adopted).toBe(1);
});

it("keeps the list and what is asked about it while the service does not answer", async () => {
  parameters = [];
  await userEvent.click(await screen.findByRole("button", { name: "Adopt 2 (1)…" }));
  await screen.findByRole("dialog");
  service.use(http.get("*/api/v1/policy-plugins", () => HttpResponse.error()));
  await act(() => queries.invalidateQueries());
  expect(await screen.findByRole("button", { name: "Try again", hidden: true })).toBeTruthy();
  expect(screen.getByRole("dialog").textContent).toContain("bank moves to 2, each in a new revision");
});

it("shows the parameters that a version changes", async () => {
  parameters = [drift];
  await userEvent.click(await screen.findByRole("button", { name: "Adopt 2 (1)…" }));
  expect((await screen.findByRole("dialog")).textContent).toContain("bank /policies/0/parameters/max: 19 -> 3");
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(adopted).toBe(0);

  await userEvent.click(screen.getByRole("button", { name: "Adopt 2 (1)…" }));
  await userEvent.click(await screen.findByRole("button", { name: "Adopt 2 with these changes" }));
  expect((await screen.findByRole("status")).textContent).toBe("Moved to 2: bank (rev 4).");
  expect(adopted).toBe(1);
});

it("asks about the sets that move, and says which stay and why", async () => {
  parameters = [];
  moves = () => [move(), refusal()];
  await userEvent.click(await screen.findByRole("button", { name: "Adopt 2 (1)…" }));
  const text = (await screen.findByRole("dialog")).textContent;
  expect(text).toContain("bank moves to 2, each in a new revision");
  expect(text).toContain("shop keeps 1: it is managed by files.");
  expect(text).not.toContain("shop /policies");
  await userEvent.click(screen.getByRole("button", { name: "Adopt 2" }));
  await screen.findByRole("status");
  expect(asked).toEqual({ domains: ["bank"] });
});

it("does not ask where no set would move", async () => {
  moves = () => [refusal()];
  await userEvent.click(await screen.findByRole("button", { name: "Adopt 2 (1)…" }));
  expect((await screen.findByRole("alert")).textContent).toBe(
    "No set was moved. shop keeps 1: it is managed by files.",
  );
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("says that the only version of a plugin was removed, and no more that it is installed", async () => {
  await screen.findByRole("button", { name: "Adopt 2 (1)…" });
  const jar = new File(["jar"], "own-1.jar", { type: "application/java-archive" });
  await userEvent.upload(screen.getByLabelText("Jar of a policy plugin"), jar);
  expect((await screen.findByRole("status")).textContent).toContain("own 1 is installed");
  await userEvent.click(screen.getByRole("button", { name: "Remove 1…" }));
  await userEvent.click(await screen.findByRole("button", { name: "Remove 1" }));
  await screen.findByText("own 1 was removed.");
  await waitFor(() => expect(screen.queryByRole("region", { name: "own" })).toBeNull());
  expect(screen.getByRole("status").textContent).toBe("own 1 was removed.");
});

it("shows a whole hash where the page may not copy", async () => {
  expect(navigator.clipboard).toBeUndefined();
  const [copy] = await screen.findAllByRole("button", { name: /^Copy the SHA-256/ });
  fireEvent.click(copy as HTMLElement);
  await screen.findByText("ab".repeat(32));
});
