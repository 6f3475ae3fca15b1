// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { Clients } from "./Clients";

const PASSWORD = "tu5Ck-9mQ_xw2LrV0aZ1bYc3Dd4Ee5Ff";
const PSQL = "psql -h 127.0.0.1 -p 6432 -U web -d bank";
const item = (name: string, connected = 0) => ({
  name,
  createdAt: "2026-11-21T12:00:00Z",
  createdBy: "admin",
  connected,
});

let items: ReturnType<typeof item>[] = [];
let listening = true;
const AS_MADE = { mode: "transaction", maxClients: 1000, sessionState: "pin", unnamedStatements: "auto" };
let wire = AS_MADE;
let managedBy: string | null = null;
let patches: unknown[] = [];
const service = setupServer(
  http.get("*/api/v1/domains/bank", () => HttpResponse.json({ name: "bank", wire, managedBy })),
  http.patch("*/api/v1/domains/bank", async ({ request }) => {
    const body = (await request.json()) as { wire: Partial<typeof wire> };
    patches.push(body);
    if (body.wire.maxClients === 0)
      return HttpResponse.json(
        {
          type: "https://headgate.dev/problems/invalid-request",
          status: 422,
          detail: "1 fault",
          errors: [
            { pointer: "/wire/maxClients", message: "must be a number of clients, was 0", allowed: "1..100000" },
          ],
        },
        { status: 422 },
      );
    wire = { ...wire, ...body.wire };
    return HttpResponse.json({ name: "bank", wire });
  }),
  http.get("*/api/v1/domains/bank/clients", () =>
    HttpResponse.json({ items, endpoint: { listening, host: "127.0.0.1", port: 6432, database: "bank", tls: false } }),
  ),
  http.post("*/api/v1/domains/bank/clients", async ({ request }) => {
    const { name } = (await request.json()) as { name: string };
    if (items.some((one) => one.name === name))
      return HttpResponse.json(
        { type: "https://headgate.dev/problems/conflict", status: 409, detail: "The domain 'bank' has it already." },
        { status: 409 },
      );
    items = [...items, item(name)];
    return HttpResponse.json(
      { ...item(name), password: PASSWORD, host: "127.0.0.1", port: 6432, database: "bank", psql: PSQL },
      { status: 201 },
    );
  }),
  http.delete("*/api/v1/domains/bank/clients/:name", ({ params }) => {
    items = items.filter((one) => one.name !== params.name);
    return new HttpResponse(null, { status: 204 });
  }),
);

beforeAll(() => {
  service.listen({ onUnhandledRequest: "error" });
});
beforeEach(() => {
  items = [];
  listening = true;
  wire = AS_MADE;
  managedBy = null;
  patches = [];
});
afterEach(() => {
  cleanup();
  service.resetHandlers();
  vi.restoreAllMocks();
});
afterAll(() => service.close());

function show() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <Clients domain="bank" />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return userEvent.setup();
}

async function add(user: ReturnType<typeof userEvent.setup>, name: string) {
  await user.click(await screen.findByRole("button", { name: "Add a client" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText("Name"), name);
  await user.click(within(dialog).getByRole("button", { name: "Add the client" }));
  return dialog;
}

it("tells how to connect where nobody does", async () => {
  show();
  expect(await screen.findByText("postgresql://127.0.0.1:6432/bank")).toBeTruthy();
  expect(screen.getByText(/Add a client for each/)).toBeTruthy();
  expect(screen.queryByRole("table")).toBeNull();
  expect(screen.queryByText(/The wire port is off/)).toBeNull();
});

it("says that nobody can connect where the wire port is off", async () => {
  listening = false;
  show();
  expect(await screen.findByText(/The wire port is off/)).toBeTruthy();
});

it("shows a new client's password once, to be copied with its command line", async () => {
  const user = show();
  const dialog = await add(user, " web ");
  expect((await within(dialog).findByLabelText<HTMLInputElement>("password")).value).toBe(PASSWORD);
  expect(within(dialog).getByText(/shown once/)).toBeTruthy();
  await user.keyboard("{Escape}");
  expect(within(dialog).getByLabelText<HTMLInputElement>("password").value).toBe(PASSWORD);
  await user.click(within(dialog).getByRole("button", { name: "Copy the password" }));
  expect(await navigator.clipboard.readText()).toBe(PASSWORD);
  await user.click(within(dialog).getByRole("button", { name: "Copy the psql command" }));
  expect(await navigator.clipboard.readText()).toBe(PSQL);
  expect(within(dialog).getAllByText("Copied.")).toHaveLength(2);

  await user.click(within(dialog).getByRole("button", { name: "Done" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(await screen.findByRole("cell", { name: "web" })).toBeTruthy();
  expect(document.body.innerHTML).not.toContain(PASSWORD);
  await user.click(screen.getByRole("button", { name: "Add a client" }));
  const again = await screen.findByRole("dialog");
  expect(within(again).getByLabelText<HTMLInputElement>("Name").value).toBe("");
  expect(document.body.innerHTML).not.toContain(PASSWORD);
});

it("shows the password also to whoever wants to close the dialog before it came", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  service.use(
    http.post("*/api/v1/domains/bank/clients", async () => {
      await answered;
      const made = { ...item("web"), password: PASSWORD, host: "127.0.0.1", port: 6432, database: "bank", psql: PSQL };
      return HttpResponse.json(made, { status: 201 });
    }),
  );
  const user = show();
  const dialog = await add(user, "web");
  await within(dialog).findByRole("button", { name: "Adding…" });
  await user.keyboard("{Escape}");
  await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
  answer();
  expect(((await screen.findByLabelText("password")) as HTMLInputElement).value).toBe(PASSWORD);
});

it("selects what cannot be copied", async () => {
  const user = show();
  const dialog = await add(user, "web");
  const field = await within(dialog).findByLabelText<HTMLInputElement>("password");
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValueOnce(new Error("not allowed"));
  await user.click(within(dialog).getByRole("button", { name: "Copy the password" }));
  expect(await within(dialog).findByText(/Selected/)).toBeTruthy();
  expect(field.selectionEnd).toBe(PASSWORD.length);
});

it("says at the name that it is taken", async () => {
  items = [item("web")];
  const user = show();
  const dialog = await add(user, "web");
  const alert = await within(dialog).findByRole("alert");
  expect(alert.textContent).toBe("The domain 'bank' has it already.");
  expect(within(dialog).getByLabelText("Name").getAttribute("aria-invalid")).toBe("true");
});

it("lists who is connected, and removes a client once its name is typed", async () => {
  items = [item("batch"), item("web", 12)];
  const user = show();
  expect(await screen.findByText("transaction mode, 12 of 1,000 connected")).toBeTruthy();
  const row = (await screen.findByRole("cell", { name: "web" })).closest("tr") as HTMLElement;
  expect(within(row).getByText("12")).toBeTruthy();

  await user.click(within(row).getByRole("button", { name: "Remove web…" }));
  const question = within(await screen.findByRole("dialog", { name: "Remove web?" }));
  question.getByText("12 connections of web end now, with what they do.");
  const confirm = question.getByRole<HTMLButtonElement>("button", { name: "Remove web" });
  expect(confirm.disabled).toBe(true);
  await user.type(question.getByRole("textbox"), "web");
  await user.click(confirm);
  await waitFor(() => expect(screen.queryByRole("cell", { name: "web" })).toBeNull());
  expect(items).toEqual([item("batch")]);
});

async function confirmSettings(user: ReturnType<typeof userEvent.setup>) {
  const question = within(await screen.findByRole("dialog", { name: "Change how clients of bank are served?" }));
  await user.click(question.getByRole("button", { name: "Change the settings" }));
}

async function openSettings(user: ReturnType<typeof userEvent.setup>) {
  await user.click(await screen.findByRole("button", { name: "Settings…" }));
  return within(await screen.findByRole("dialog", { name: "Wire port settings of bank" }));
}

it("asks no more for a removal that was made, also where the list cannot be read then", async () => {
  items = [item("web")];
  const user = show();
  await user.click(await screen.findByRole("button", { name: "Remove web…" }));
  const question = within(await screen.findByRole("dialog", { name: "Remove web?" }));
  await user.type(question.getByLabelText("Type web to continue"), "web");
  service.use(http.get("*/api/v1/domains/bank/clients", () => new HttpResponse(null, { status: 503 })));
  await user.click(question.getByRole("button", { name: "Remove web" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(items).toEqual([]);
});

it("changes how clients are served, sending what differs, and says for whom", async () => {
  const user = show();
  const dialog = await openSettings(user);
  expect(dialog.getByText(/apply to clients that connect later/)).toBeTruthy();
  await user.selectOptions(dialog.getByLabelText("Mode"), "statement");
  await user.selectOptions(dialog.getByLabelText("Session state"), "refuse");
  await user.selectOptions(dialog.getByLabelText("Unnamed statements"), "off");
  await user.click(dialog.getByRole("button", { name: "Save changes" }));
  expect(patches).toEqual([]);
  await confirmSettings(user);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(patches).toEqual([{ wire: { mode: "statement", sessionState: "refuse", unnamedStatements: "off" } }]);
  expect(await screen.findByText("statement mode, session state refused, 0 of 1,000 connected")).toBeTruthy();

  const again = await openSettings(user);
  expect(again.getByLabelText<HTMLSelectElement>("Mode").value).toBe("statement");
  expect(again.getByLabelText<HTMLSelectElement>("Session state").value).toBe("refuse");
  expect(again.getByLabelText<HTMLSelectElement>("Unnamed statements").value).toBe("off");
  await user.click(again.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(patches).toHaveLength(1);
});

it("says at the field what is wrong with it, in the service's words, and keeps what was typed", async () => {
  const user = show();
  const dialog = await openSettings(user);
  const most = dialog.getByLabelText<HTMLInputElement>("Maximum clients");
  await user.clear(most);
  await user.type(most, "0");
  await user.click(dialog.getByRole("button", { name: "Save changes" }));
  await confirmSettings(user);
  expect((await dialog.findByRole("alert")).textContent).toBe(
    "must be a number of clients, was 0 (allowed: 1..100000)",
  );
  expect(most.getAttribute("aria-invalid")).toBe("true");
  expect(most.value).toBe("0");
  expect(wire).toEqual(AS_MADE);

  await user.clear(most);
  await user.type(most, "12x");
  await user.click(dialog.getByRole("button", { name: "Save changes" }));
  expect(dialog.getByRole("alert").textContent).toBe("must be a whole number");
  expect(patches).toHaveLength(1);
  await user.clear(most);
  await user.type(most, "20");
  await user.click(dialog.getByRole("button", { name: "Save changes" }));
  await confirmSettings(user);
  expect(await screen.findByText("transaction mode, 0 of 20 connected")).toBeTruthy();
});

it("warns where the files will set a change back, and not elsewhere", async () => {
  const user = show();
  expect((await openSettings(user)).queryByText(/next apply/)).toBeNull();
  cleanup();
  managedBy = "files: shop.yaml";
  const other = show();
  expect((await openSettings(other)).getByText(/managed by files: shop.yaml: the next apply/)).toBeTruthy();
});

it("tells where the service does not take a change", async () => {
  service.use(
    http.patch("*/api/v1/domains/bank", () =>
      HttpResponse.json(
        { type: "https://headgate.dev/problems/unavailable", status: 503, detail: "The control store is away." },
        { status: 503 },
      ),
    ),
  );
  const user = show();
  const dialog = await openSettings(user);
  await user.selectOptions(dialog.getByLabelText("Unnamed statements"), "off");
  await user.click(dialog.getByRole("button", { name: "Save changes" }));
  expect((await dialog.findByRole("alert")).textContent).toBe("The control store is away.");
});
