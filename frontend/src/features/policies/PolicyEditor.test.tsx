// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Scope } from "@/api/policies";
import type { PolicySet } from "@/api/types";
import { live, stream } from "@/stream/browser";
import { type FakeSocket, hello, pool, recording, snapshot } from "@/stream/fixtures";
import type { Frame } from "@/stream/schemas";
import { MayChange } from "@/ui/role";
import { setDraft } from "./draftStore";
import { NO_GUARD } from "./guard";
import { PolicyEditor } from "./PolicyEditor";

const scope = { kind: "domain", name: "bank" } as const;
const at = (path: string) => `*/api/v1/domains/bank/policies${path}`;
const policySet = (max: number, min = 2) => ({
  policies: [{ plugin: "min-max", parameters: { min, max } }],
  whenExhausted: { mode: "queue", timeoutMs: 5000, depth: 1000 },
});
const revision = (n: number, max: number, actor = "admin") => ({
  revision: n,
  createdAt: "2026-11-21T12:00:00Z",
  actor,
  comment: null as string | null,
  managedBy: null as string | null,
  restoredFrom: null as number | null,
  unjudged: null as string | null,
  guard: null as object | null,
  policySet: policySet(max),
});
const schema = {
  type: "object",
  properties: {
    min: { type: "integer", description: "kept open" },
    max: { type: "integer" },
    mode: { type: "string", enum: ["a", "b"], default: "a" },
  },
  required: ["max"],
};

const figures = (waitP99Ms: number) => ({
  arrivals: 900,
  refused: 0,
  waitP50Ms: 0,
  waitP99Ms,
  waitMaxMs: 2 * waitP99Ms,
  meanMs: 1,
  p95Ms: 2,
  p99Ms: 3,
  meanSize: 5.5,
  mostSize: 8,
});

const minMax = (ceiling: number) => ({ policy: "min-max", floor: 2, ceiling, reason: "" });

const run = { id: "r1", leases: 18_200, progress: 0, result: null, problem: null };
const replay = {
  from: "2026-11-21T12:00:00Z",
  seconds: 60,
  settlingSeconds: 30,
  tookMs: 100,
  load: "flat.",
  domains: [
    {
      domain: "bank",
      actual: figures(4),
      baseline: figures(4.1),
      replayed: figures(38),
      fit: {
        usable: true,
        missPercent: 2,
        misses: [{ figure: "waits", actual: 4, modelled: 4.1, percent: 2, usable: true }],
        sentence: "The model fits.",
      },
      ceiling: { least: 15, most: 15, last: 15 },
      second: [],
    },
  ],
};
/** The replay does not end. */
let endless = false;
let cancelled = false;

let shadow: Record<string, unknown> | null = null;
let stored = revision(8, 20);
let puts: { match: string | null; guard?: string; body: unknown }[] = [];
const YAML = "apiVersion: headgate/v1\ndomains:\n  - name: bank\n";
const service = setupServer(
  http.get("*/api/v1/files/export", ({ request }) =>
    new URL(request.url).searchParams.get("domain") === "bank"
      ? new HttpResponse(YAML, { headers: { "Content-Type": "application/yaml" } })
      : new HttpResponse(null, { status: 404 }),
  ),
  http.get("*/api/v1/policy-plugins", () =>
    HttpResponse.json({
      items: [
        {
          id: "min-max",
          version: "1",
          description: "",
          source: "",
          sha256: "",
          builtIn: true,
          newest: true,
          parameterSchema: schema,
          usedBy: [],
        },
      ],
    }),
  ),
  http.get(at(""), () => HttpResponse.json(stored)),
  http.get(at("/revisions"), () => HttpResponse.json({ items: [stored] })),
  http.post(at("/plan"), async ({ request }) => {
    const body = (await request.json()) as ReturnType<typeof policySet>;
    const bad = Number(body.policies[0]?.parameters.min) > Number(body.policies[0]?.parameters.max);
    return HttpResponse.json({
      baseRevision: stored.revision,
      diff: [],
      violations: bad ? [{ pointer: "/policies/0/parameters/min", message: "must be at most max" }] : [],
      now: { floor: 2, ceiling: 20, answers: [minMax(20)] },
      planned: { floor: 2, ceiling: 15, answers: [minMax(15)] },
      warnings: [],
      predicted: null,
    });
  }),
  http.post(at("/replay"), () => HttpResponse.json({ ...run, state: "running" }, { status: 202 })),
  http.get("*/api/v1/replays/r1", () =>
    HttpResponse.json(
      endless ? { ...run, state: "running", progress: 0.25 } : { ...run, state: "done", result: replay },
    ),
  ),
  http.delete("*/api/v1/replays/r1", () => {
    cancelled = true;
    return new HttpResponse(null, { status: 204 });
  }),
  http.get(at("/shadow"), () => (shadow ? HttpResponse.json(shadow) : new HttpResponse(null, { status: 204 }))),
  http.put(at("/shadow"), async ({ request }) => {
    shadow = {
      createdAt: "2026-11-21T12:00:00Z",
      actor: "admin",
      policySet: (await request.json()) as ReturnType<typeof policySet>,
      steps: 10,
      differed: 10,
      live: { floor: 2, ceiling: 20, answers: [] },
      shadow: { floor: 2, ceiling: 15, answers: [] },
      degraded: null,
    };
    return HttpResponse.json(shadow);
  }),
  http.delete(at("/shadow"), () => {
    shadow = null;
    return new HttpResponse(null, { status: 204 });
  }),
  http.put(at(""), async ({ request }) => {
    const match = request.headers.get("if-match");
    const body = (await request.json()) as ReturnType<typeof policySet>;
    const guard = new URL(request.url).searchParams.get("guard");
    puts.push({ match, body, ...(guard ? { guard } : {}) });
    if (match !== `"${stored.revision}"`)
      return HttpResponse.json(
        {
          type: "https://headgate.dev/problems/stale-revision",
          title: "stale",
          status: 412,
          currentRevision: stored.revision,
        },
        { status: 412 },
      );
    stored = { ...revision(stored.revision + 1, 0), policySet: body };
    return HttpResponse.json(stored);
  }),
);

/** The stream tells of bank, whose figures stay current. */
async function told() {
  const sockets: FakeSocket[] = [];
  vi.stubGlobal("WebSocket", recording(sockets));
  const shown = new Promise<void>((resolve) => {
    const end = live.subscribe(() => {
      end();
      resolve();
    });
  });
  stream.start();
  sockets[0]?.open();
  sockets[0]?.say(hello());
  sockets[0]?.say(snapshot(1));
  stream.stop(); // it waits for no further frame, and is not lost either
  await shown;
}

beforeAll(async () => {
  await told();
  service.listen({ onUnhandledRequest: "error" });
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
  }));
});
beforeEach(() => {
  stored = revision(8, 20);
  puts = [];
  shadow = null;
  endless = false;
  cancelled = false;
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  setDraft(scope, null);
  service.resetHandlers();
});
afterAll(() => service.close());

let queries: QueryClient;

/** As the stream's event does. */
const news = () => queries.invalidateQueries({ queryKey: ["policies"] });

function show(mayChange = true, of: Scope = scope) {
  queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 60_000 } } });
  render(
    <MantineProvider>
      <QueryClientProvider client={queries}>
        <MayChange value={mayChange}>
          <PolicyEditor scope={of} />
        </MayChange>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return userEvent.setup();
}

async function change(user: ReturnType<typeof userEvent.setup>, label: string, value: string) {
  const field = await screen.findByLabelText(label);
  await user.clear(field);
  await user.type(field, value);
}

it("draws the form from the schema, marks what was changed, plans it and applies it to its revision", async () => {
  const user = show();
  expect(((await screen.findByLabelText("min")) as HTMLInputElement).value).toBe("2");
  expect(within(screen.getByTestId("policy-min-max")).getByRole("combobox").textContent).toContain("default (a)");
  await change(user, "max", "15");
  expect(screen.getByText("was 20")).toBeTruthy();
  expect((await screen.findByTestId("plan")).textContent).toContain("15");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await screen.findByText("rev 9 is in force.");
  expect(puts).toEqual([{ match: '"8"', body: policySet(15) }]);
});

it("takes an applied set back", async () => {
  let restored: string | null = null;
  service.use(
    http.post(at("/revisions/8/restore"), ({ request }) => {
      restored = request.headers.get("if-match");
      stored = { ...revision(10, 20) };
      return HttpResponse.json(stored);
    }),
  );
  const user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await screen.findByText("rev 10 is in force.");
  expect(restored).toBe('"9"');
});

it("asks before it applies what would not be asked for if the figures were of now, and tells their age", async () => {
  vi.spyOn(stream, "status", "get").mockReturnValue("lost");
  const user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  const dialog = await screen.findByRole("dialog", { name: "Apply rev 9 to bank?" });
  expect(dialog.textContent).toMatch(/these figures are \d+ s old/);
  expect(puts).toEqual([]);
});

it("asks before it takes back a set that let more requests wait", async () => {
  const restored: (string | null)[] = [];
  service.use(
    http.post(at("/revisions/8/restore"), ({ request }) => {
      restored.push(request.headers.get("if-match"));
      stored = revision(10, 20);
      return HttpResponse.json(stored);
    }),
  );
  const user = show();
  await change(user, "Most waiting", "2000");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restore rev 8 of bank?" }));
  dialog.getByText(/^At most 1,000 requests wait, not 2,000/);
  expect(restored).toEqual([]);
  await user.click(dialog.getByRole("button", { name: "Restore as rev 10" }));
  await screen.findByText("rev 10 is in force.");
  expect(restored).toEqual(['"9"']);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("shows a violation at its field by its pointer, and does not let it be applied", async () => {
  const user = show();
  await change(user, "min", "30");
  const alert = await within(await screen.findByTestId("policy-min-max")).findByRole("alert");
  expect(alert.textContent).toContain("must be at most max");
  expect((screen.getByRole("button", { name: "Apply as rev 9" }) as HTMLButtonElement).disabled).toBe(true);
});

it("keeps what is typed for a number and is none, says so at its field, and sends it nowhere", async () => {
  const planned: unknown[] = [];
  service.events.on("request:start", ({ request }) => {
    if (request.url.endsWith("/plan?predict=false")) planned.push(request.url);
  });
  const user = show();
  const wait = (await screen.findByLabelText("Longest wait (ms)")) as HTMLInputElement;
  await user.type(wait, "x");
  expect(wait.value).toBe("5000x");
  expect(wait.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByTestId("plan-sentence").textContent).toBe(
    "Cannot be applied: When exhausted: Longest wait (ms)timeoutMs must be a whole number.",
  );
  expect((screen.getByRole("button", { name: "Apply as rev 9" }) as HTMLButtonElement).disabled).toBe(true);
  await change(user, "Longest wait (ms)", "1.5");
  expect(wait.value).toBe("1.5");
  await new Promise((resolve) => setTimeout(resolve, 400)); // longer than what is typed rests before it is planned
  expect(planned).toEqual([]);
  await change(user, "Longest wait (ms)", "1500");
  await screen.findByTestId("plan");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Apply as rev 9" }));
  await screen.findByText("rev 9 is in force.");
  expect(puts[0]?.body).toMatchObject({ whenExhausted: { timeoutMs: 1500, depth: 1000 } });
});

it("names the field of a fault in words, and leads to it, also from the YAML text", async () => {
  const user = show();
  await change(user, "min", "30");
  const said = await screen.findByText(/^Cannot be applied/);
  expect(said.textContent).toBe("Cannot be applied: min-max: min must be at most max.");
  expect(screen.getByText(/One fault prevents/).textContent).not.toContain("/policies/");
  await user.click(screen.getByText("YAML"));
  await user.click(within(screen.getByTestId("plan-sentence")).getByRole("button", { name: "min-max: min" }));
  expect(document.activeElement).toBe(screen.getByLabelText("min"));
});

it("keeps the draft when the service refuses it, and says why at the field", async () => {
  service.use(
    http.put(at(""), () =>
      HttpResponse.json(
        {
          title: "The policy set is not valid",
          status: 422,
          errors: [{ pointer: "/policies/0/parameters/max", message: "is above the budget" }],
        },
        { status: 422 },
      ),
    ),
  );
  const user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await waitFor(() =>
    expect(within(screen.getByTestId("policy-min-max")).getByRole("alert").textContent).toContain("above the budget"),
  );
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("15");
  expect(screen.getByText(/^Not applied/).textContent).toBe(
    "Not applied: min-max: max is above the budget. Your draft is kept.",
  );
});

it("tells of a change that came between, overwrites nothing, and rebases on demand", async () => {
  const user = show();
  await change(user, "max", "15");
  stored = { ...revision(9, 12, "eve"), comment: "calmer" as never };
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  const conflict = await screen.findByTestId("conflict");
  expect(conflict.textContent).toContain("rev 9 by eve");
  expect(conflict.textContent).toContain("+ max: 12");
  expect(conflict.textContent).toContain("+ max: 15");
  expect(stored.policySet).toEqual(policySet(12));
  expect(screen.getByText("rev 9 took effect while you were editing.")).toBeTruthy(); // also beside the button that is off
  await user.click(screen.getByRole("button", { name: "See both changes" }));
  expect(document.activeElement).toBe(within(conflict).getByRole("button", { name: "Rebase mine on rev 9" }));
  await user.click(within(conflict).getByRole("button", { name: "Rebase mine on rev 9" }));
  expect(screen.getByText("was 12")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Apply as rev 10" }));
  await screen.findByText("rev 10 is in force.");
  expect(puts.map((p) => p.match)).toEqual(['"8"', '"9"']);
});

/** The service takes a set, tells so by the stream, and answers later. */
function slowly() {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  service.use(
    http.put(at(""), async ({ request }) => {
      const body = (await request.json()) as ReturnType<typeof policySet>;
      stored = { ...revision(9, 0), policySet: body };
      const taken = stored;
      await answered;
      return HttpResponse.json(taken);
    }),
  );
  return { answer, taken: () => waitFor(() => expect(stored.revision).toBe(9)) };
}

it("takes what is being applied for nobody else's change, if the stream tells of it before the answer", async () => {
  const { answer, taken } = slowly();
  const user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await taken();
  await news();
  await screen.findByText("rev 9 · live");
  expect(screen.queryByTestId("conflict")).toBeNull();
  answer();
  await screen.findByText("rev 9 is in force.");
});

it("keeps no draft of what is in force, also if the editor was closed before the answer came", async () => {
  const { answer, taken } = slowly();
  const user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await taken();
  cleanup();
  answer();
  await waitFor(() => expect(queries.isMutating()).toBe(0));
  show();
  await screen.findByText("rev 9 · live");
  expect(screen.queryByTestId("conflict")).toBeNull();
  expect(screen.getByRole("button", { name: "No changes" })).toBeTruthy();
});

it("keeps what is typed while the service applies a set, as a draft on that", async () => {
  const { answer, taken } = slowly();
  const user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await taken();
  await change(user, "max", "14");
  answer();
  await screen.findByRole("button", { name: "Apply as rev 10" });
  expect(screen.getByText("was 15")).toBeTruthy();
  expect(screen.queryByTestId("conflict")).toBeNull();
});

it("restores a revision over no other than the one that the question was asked of, and fetches what came between", async () => {
  const restored: (string | null)[] = [];
  service.use(
    http.get(at("/revisions"), () => HttpResponse.json({ items: [stored, revision(7, 12)] })),
    http.post(at("/revisions/7/restore"), ({ request }) => {
      const match = request.headers.get("if-match");
      restored.push(match);
      if (match !== `"${stored.revision}"`) return HttpResponse.json({ title: "stale", status: 412 }, { status: 412 });
      stored = revision(stored.revision + 1, 12);
      return HttpResponse.json(stored);
    }),
  );
  const user = show();
  await user.click(await screen.findByRole("button", { name: "History" }));
  await user.click(await screen.findByRole("button", { name: "Restore as rev 9" }));
  const question = within(await screen.findByRole("dialog", { name: "Restore rev 7 of bank?" }));
  stored = revision(9, 30, "eve");
  await news();
  await screen.findByText("rev 9 · live");
  stored = revision(10, 31, "eve"); // the stream tells nothing of it
  await user.click(question.getByRole("button", { name: "Restore as rev 9" }));
  await screen.findByText(/^Someone else changed the set; nothing was restored/);
  expect(restored).toEqual(['"8"']);
  await screen.findByText("rev 10 · live");
});

it("tells of a domain that was removed and created again, whose revisions begin anew", async () => {
  const user = show();
  await change(user, "max", "15");
  stored = revision(1, 12, "eve");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  const conflict = await screen.findByTestId("conflict");
  expect(conflict.textContent).toContain("bank was removed and created again");
  expect(conflict.textContent).toContain("+ max: 12");
  await user.click(within(conflict).getByRole("button", { name: "Rebase mine on rev 1" }));
  await user.click(screen.getByRole("button", { name: "Apply as rev 2" }));
  await screen.findByText("rev 2 is in force.");
});

it("says that a revision is stale for as long as no conflict is shown", async () => {
  service.use(
    http.put(at(""), () =>
      HttpResponse.json({ title: "Stale", detail: "The revision is stale.", status: 412 }, { status: 412 }),
    ),
  );
  const user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await screen.findByText("The revision is stale. Your draft is kept.");
});

it("says why there is no plan, predicts nothing without one, and plans again on demand", async () => {
  let replays = 0;
  let plans = 0;
  service.use(
    http.post(at("/replay"), () => {
      replays++;
      return undefined;
    }),
    http.post(at("/plan"), () =>
      ++plans === 1
        ? HttpResponse.json({ title: "The governor does not answer", status: 503 }, { status: 503 })
        : undefined,
    ),
  );
  const user = show();
  await user.click(await screen.findByRole("button", { name: "Remove min-max" }));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("The governor does not answer");
  expect(screen.queryByRole("button", { name: "Predict" })).toBeNull();
  expect(replays).toBe(0);
  await user.click(within(alert).getByRole("button", { name: "Try again" }));
  expect((await screen.findByTestId("plan")).textContent).toContain("15");
});

it("gives mine up on demand", async () => {
  const user = show();
  await change(user, "max", "15");
  stored = revision(9, 12, "eve");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await user.click(await screen.findByRole("button", { name: "Discard mine" }));
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("12");
});

/** The text of the set that policySet() makes. */
const written = (max: number | string) => `policies:
  - plugin: min-max
    parameters:
      min: 2
      max: ${max}
whenExhausted:
  mode: queue
  timeoutMs: 5000
  depth: 1000
`;

async function openText(user: ReturnType<typeof userEvent.setup>) {
  await user.click(await screen.findByText("YAML"));
  return (await screen.findByLabelText("Policy set as YAML")) as HTMLTextAreaElement;
}

async function replace(user: ReturnType<typeof userEvent.setup>, field: HTMLTextAreaElement, text: string) {
  await user.clear(field);
  await user.paste(text);
}

it("keeps form and YAML in step, both ways", async () => {
  const user = show();
  await change(user, "max", "15");
  await replace(user, await openText(user), `# not so many\n${written(12)}`);
  expect((await openText(user)).value).toContain("# not so many");
  await user.click(screen.getByText("Form"));
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("12");
  await change(user, "max", "9");
  const text = await openText(user);
  expect(text.value).toBe(written(9));
  await user.click(screen.getByRole("button", { name: "Discard" }));
  expect(text.value).toBe(written(20));
});

it("takes JSON for the YAML that it is, and keeps numbers, texts and truths apart", async () => {
  const user = show();
  const parameters = { min: 2, max: 15, mode: "1", on: true, off: "true", none: null };
  const body = { ...policySet(15), policies: [{ plugin: "min-max", parameters }] };
  await replace(user, await openText(user), JSON.stringify(body));
  await user.click(screen.getByText("Form"));
  expect((await openText(user)).value).toContain(
    "      mode: '1'\n      on: true\n      off: 'true'\n      none: null\n",
  );
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await screen.findByText("rev 9 is in force.");
  expect(puts.map((p) => p.body)).toEqual([body]);
});

it("says by line and column what is wrong with the text, and keeps it and the last good set", async () => {
  const user = show();
  const text = await openText(user);
  await replace(user, text, written(15));
  for (const [broken, fault] of [
    [written("15: 16"), /^Line 5, column 12: Nested mappings are not allowed/],
    [`${written(15)}policies: []\n`, /^Line 10, column 1: “policies” is there twice/],
    [written("&most 15"), /^Line 5, column 12: The anchor &most is not allowed/],
    [written("*most"), /^Line 5, column 12: The alias \*most is not allowed/],
    [written("!!int 15"), /^Line 5, column 12: The tag !!int is not allowed/],
  ] as const) {
    await replace(user, text, broken);
    expect(document.getElementById(text.getAttribute("aria-describedby") ?? "")?.textContent).toMatch(fault);
    expect(text.getAttribute("aria-invalid")).toBe("true");
    expect(text.value).toBe(broken);
  }
  await user.click(screen.getByText("Form"));
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("15");
});

it("applies no set while the text is none, keeps the text beside the form, and gives it up on demand", async () => {
  const user = show();
  await change(user, "max", "15");
  await user.type(await openText(user), "}");
  const apply = screen.getByRole("button", { name: "Apply as rev 9" }) as HTMLButtonElement;
  expect(apply.disabled).toBe(true);
  expect(screen.getByText(/The YAML text is not a policy set/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Replay" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Shadow" })).toBeNull();
  await user.click(screen.getByText("Form"));
  expect((screen.getByLabelText("max") as HTMLInputElement).matches(":disabled")).toBe(true);
  const text = await openText(user);
  expect(text.value).toBe(`${written(15)}}`);
  await user.click(screen.getByRole("button", { name: "Give the text up" }));
  expect(text.value).toBe(written(15));
  await user.click(apply);
  await screen.findByText("rev 9 is in force.");
  expect(puts.map((p) => p.body)).toEqual([policySet(15)]);
});

it("keeps the reason and the guard with the draft when the editor is closed and opened, and where a value is what it was", async () => {
  let user = show();
  await change(user, "max", "15");
  await user.type(screen.getByLabelText("Why, for the history"), "calm");
  await user.click(screen.getByLabelText(/^Guard: restore/));
  await change(user, "max", "20");
  cleanup();
  user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await screen.findByText("rev 9 is in force.");
  expect(puts).toEqual([
    { match: '"8"', guard: "refusedRate:0.01,within:60s", body: { ...policySet(15), comment: "calm" } },
  ]);
  await change(user, "max", "14");
  expect((screen.getByLabelText("Why, for the history") as HTMLInputElement).value).toBe("");
  expect((screen.getByLabelText(/^Guard: restore/) as HTMLInputElement).checked).toBe(false);
});

it("says that the guard took a revision back, why, and what is in force, but not that somebody restored one", async () => {
  const comment = "The p99 of 40 requests in the last 2.0 s was 31.0 ms, above the bound of 20 ms.";
  stored = { ...revision(10, 20, "guard"), restoredFrom: 8, comment };
  show();
  expect((await screen.findByTestId("taken-back")).textContent).toBe(
    `The guard took rev 9 back: rev 8 is in force again, as rev 10. ${comment}`,
  );
  cleanup();
  stored = { ...revision(10, 20), restoredFrom: 8, comment: "Restored from revision 8" };
  show();
  await screen.findByText("rev 10 · live");
  expect(screen.queryByTestId("taken-back")).toBeNull();
});

it("says that a probation ended without a judgement, why, and what the guard does where it cannot judge", async () => {
  const unjudged = "Not judged: p99Ms (0 requests ended); a judgement needs 20.";
  stored = { ...revision(9, 20), unjudged };
  show();
  expect((await screen.findByTestId("unjudged")).textContent).toBe(
    `The probation of rev 9 ended without a judgement, and the set stays. ${unjudged}`,
  );
  cleanup();
  const guard = { until: "2026-11-21T12:05:00Z", atEnd: "restore-unjudged", restores: 8, bounds: { waitP99Ms: 100 } };
  stored = { ...revision(9, 20), guard };
  show();
  expect((await screen.findByTestId("guard")).textContent).toMatch(
    /^On probation until .*: rev 8 is restored if a bound is exceeded, or could not be judged by then\.$/,
  );
  expect(screen.queryByTestId("unjudged")).toBeNull();
});

it("sends the bound on waits, and takes a guard that an earlier version kept", async () => {
  const { waitP99Ms: _, ...earlier } = NO_GUARD;
  setDraft(scope, { baseRevision: 8, base: policySet(20), set: policySet(15), guard: earlier } as never);
  const user = show();
  await user.click(await screen.findByLabelText(/^Guard: restore/));
  await user.type(screen.getByLabelText("Guard: p99 of waits in milliseconds"), "100");
  await user.selectOptions(screen.getByLabelText("Guard: at the end"), "restore-unjudged");
  await user.click(screen.getByRole("button", { name: "Apply as rev 9" }));
  await screen.findByText("rev 9 is in force.");
  expect(puts[0]?.guard).toBe("waitP99Ms:100,refusedRate:0.01,within:60s,then:restore-unjudged");
});

it("keeps a text that is no set when the editor is closed and opened, and does not take it for one of a newer revision", async () => {
  let user = show();
  await user.type(await openText(user), "}");
  cleanup();
  user = show();
  expect((await openText(user)).value).toBe(`${written(20)}}`);
  cleanup();
  stored = revision(9, 12, "eve");
  user = show();
  await user.click(within(await screen.findByTestId("conflict")).getByRole("button", { name: "Discard mine" }));
  expect((await openText(user)).value).toBe(written(12));
});

it("shows in the plan what the draft would have done with the last load", async () => {
  show();
  const max = await screen.findByLabelText("max");
  await userEvent.clear(max);
  await userEvent.type(max, "15");
  const predicted = await screen.findByTestId("predicted", {}, { timeout: 4_000 });
  expect(within(predicted).getByText("wait p99").closest("tr")?.textContent).toBe("wait p994 ms4.1 ms38 ms");
  expect(screen.getByText("The model fits.")).toBeTruthy();
});

it("shows in the plan what each policy answers live, and with the draft", async () => {
  const user = show();
  await change(user, "max", "15");
  const plan = await screen.findByTestId("plan");
  expect(within(plan).getByText("min-max").closest("tr")?.textContent?.trim()).toBe("min-max 2 … 202 … 15");
});

it("names a plan and a prediction of the draft before the last change, and says nothing of them beside the button", async () => {
  const user = show();
  await change(user, "max", "15");
  const predicted = await screen.findByTestId("predicted", {}, { timeout: 4_000 });
  const last = (table: HTMLElement) => table.querySelector("th:last-child")?.textContent;
  const plan = screen.getByTestId("plan");
  expect([last(plan), last(predicted)]).toEqual(["plan", "draft"]);
  await waitFor(() => expect(screen.getByTestId("plan-sentence").textContent).toContain("Predicted: wait p99"));

  await user.type(screen.getByLabelText("min"), "{Backspace}3");
  expect([last(plan), last(predicted)]).toEqual(["earlier draft", "earlier draft"]);
  expect(screen.getByTestId("plan-sentence").textContent).toBe("Plans the draft…");
  await waitFor(() => expect(last(screen.getByTestId("plan"))).toBe("plan"));
  await waitFor(() => expect(last(screen.getByTestId("predicted"))).toBe("draft"), { timeout: 4_000 });
});

it("says that it plans the draft until the first plan has come", async () => {
  let arrived = () => {};
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  service.use(
    http.post(at("/plan"), async () => {
      arrived();
      await held; // and what answers otherwise
    }),
  );
  const user = show();
  await change(user, "max", "15");
  await asked;
  expect(screen.getByTestId("plan-sentence").textContent).toBe("Plans the draft…");
  answer();
  await waitFor(() => expect(screen.getByTestId("plan-sentence").textContent).toContain("Plan:"));
});

it("draws the prediction beside the model of the set in force, if asked", async () => {
  const user = show();
  await change(user, "max", "15");
  await screen.findByTestId("predicted", {}, { timeout: 4_000 });
  expect(screen.getByText("Second by second").closest("details")?.open).toBe(false);
});

it("brings a discarded draft back", async () => {
  const user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Discard" }));
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("20");
  await screen.findByText("The draft is discarded.");
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("15");
  expect(screen.queryByText("The draft is discarded.")).toBeNull();
});

it("brings no draft back over one that was begun since", async () => {
  const user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Discard" }));
  await change(user, "max", "17");
  expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
});

it("brings a policy back that was removed from the draft", async () => {
  const user = show();
  await user.click(await screen.findByRole("button", { name: "Remove min-max" }));
  expect(screen.queryByLabelText("max")).toBeNull();
  await screen.findByText("min-max is removed from the draft.");
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("20");
});

it("tells two uses of a plugin apart by what each answers", async () => {
  const use = (max: number) => ({ plugin: "min-max", parameters: { min: 2, max } });
  stored = { ...revision(8, 20), policySet: { policies: [use(20), use(7)] } } as typeof stored;
  const answers = [
    { policy: "min-max", floor: 2, ceiling: 20, reason: "The first." },
    { policy: "min-max", floor: 2, ceiling: 7, reason: "The second." },
  ];
  const limit = { by: "policy", policy: "min-max", reason: "", holdsBack: true };
  live.apply(snapshot(1, { domains: [pool("bank", { limit, answers })] }) as unknown as Frame);
  show();
  const first = within(await screen.findByRole("region", { name: "min-max" }));
  const second = within(screen.getByRole("region", { name: "min-max (2)" }));
  expect(await first.findByText("answers 2 … 20")).toBeTruthy();
  expect(second.getByText("answers 2 … 7")).toBeTruthy();
  expect(second.getByText("The second.")).toBeTruthy();
  expect(first.queryByText("binding")).toBeNull();
  expect(second.getByText("binding")).toBeTruthy();
  live.apply(snapshot(1) as unknown as Frame);
});

it("tells how far the prediction is, and cancels it", async () => {
  endless = true;
  const user = show();
  await change(user, "max", "15");
  const progress = await screen.findByRole("progressbar", {}, { timeout: 4_000 });
  await waitFor(() => expect(progress).toHaveProperty("value", 0.25));
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(cancelled).toBe(true));
  await screen.findByRole("button", { name: "Predict" });
});

it("runs a draft as the shadow set, says how it compares, and takes it back as a draft", async () => {
  show();
  const max = await screen.findByLabelText("max");
  await userEvent.clear(max);
  await userEvent.type(max, "15");
  await userEvent.click(await screen.findByRole("button", { name: "Shadow" }));
  const view = await screen.findByTestId("shadow");
  expect(view.textContent).toContain("Now it would hold 2 to 15 connections");
  expect(puts).toHaveLength(0);
  await waitFor(() => expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("20"));
  await userEvent.click(within(view).getByRole("button", { name: "Use as draft" }));
  await waitFor(() => expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("15"));
  await userEvent.click(within(view).getByRole("button", { name: "End the shadow" }));
  await waitFor(() => expect(screen.queryByTestId("shadow")).toBeNull());
});

/** A shadow set that was not begun on this page. */
const colleagues = () => ({
  createdAt: "2026-11-21T11:00:00Z",
  actor: "eve",
  policySet: policySet(9),
  steps: 1_200,
  differed: 10,
  live: { floor: 2, ceiling: 20, answers: [] },
  shadow: { floor: 2, ceiling: 9, answers: [] },
  degraded: null,
});

it("keeps what is typed while the service begins a shadow set", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  service.use(
    http.put(at("/shadow"), async ({ request }) => {
      const policySet = await request.json();
      await answered;
      const side = { floor: 2, ceiling: 15, answers: [] };
      const began = { createdAt: "2026-11-21T12:00:00Z", actor: "admin", steps: 1, differed: 0, degraded: null };
      return HttpResponse.json({ ...began, policySet, live: side, shadow: side });
    }),
  );
  const user = show();
  await change(user, "max", "15");
  await user.click(screen.getByRole("button", { name: "Shadow" }));
  await waitFor(() => expect(queries.isMutating()).toBe(1));
  await change(user, "max", "14");
  answer();
  await screen.findByTestId("shadow");
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("14");
});

it("asks before a draft takes the place of a shadow set that somebody else began, and says who and when", async () => {
  shadow = colleagues();
  const user = show();
  await change(user, "max", "15");
  await user.click(await screen.findByRole("button", { name: "Shadow" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Replace the shadow set of bank?" }));
  expect(dialog.getByText(/^eve began it at .*11:00:00, and not on this page\.$/)).toBeTruthy();
  await user.click(dialog.getByRole("button", { name: "Keep it" }));
  expect(shadow).toMatchObject({ actor: "eve" });
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("15");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

  await user.click(screen.getByRole("button", { name: "Shadow" }));
  await user.click(await screen.findByRole("button", { name: "Replace it" }));
  await waitFor(() => expect(shadow).toMatchObject({ actor: "admin" }));
  await waitFor(() => expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("20"));
});

it("asks before it ends a shadow set that somebody else began", async () => {
  shadow = colleagues();
  const user = show();
  const view = within(await screen.findByTestId("shadow"));
  await user.click(view.getByRole("button", { name: "End the shadow" }));
  const dialog = within(await screen.findByRole("dialog", { name: "End the shadow set of bank?" }));
  expect(dialog.getByText(/with its comparison of 1,200 steps/)).toBeTruthy();
  expect(shadow).not.toBeNull();
  await user.click(dialog.getByRole("button", { name: "End it" }));
  await waitFor(() => expect(screen.queryByTestId("shadow")).toBeNull());
});

it("brings a draft back whose place a shadow set took", async () => {
  shadow = colleagues();
  const user = show();
  await change(user, "max", "15");
  await user.click(within(await screen.findByTestId("shadow")).getByRole("button", { name: "Use as draft" }));
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("9");
  await screen.findByText("It took the place of your draft.");
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect((screen.getByLabelText("max") as HTMLInputElement).value).toBe("15");
});

it("shows a set that is managed by files, says why it cannot be edited, and copies it as YAML", async () => {
  stored = { ...revision(8, 20), managedBy: "files: headgate.yaml" };
  const user = show();
  const note = await screen.findByTestId("managed");
  expect(note.textContent).toContain("Read-only. This set is managed by files: headgate.yaml.");
  expect(note.textContent).toContain("./headgate apply --release bank");
  const max = (await screen.findByLabelText("max")) as HTMLInputElement;
  expect(max.value).toBe("20");
  expect(max.matches(":disabled")).toBe(true);
  expect(screen.queryByRole("button", { name: /Apply as rev|No changes/ })).toBeNull();

  const copy = within(note).getByRole("button", { name: "Copy as YAML" }) as HTMLButtonElement;
  await waitFor(() => expect(copy.disabled).toBe(false));
  await user.click(copy);
  await within(note).findByText("Copied.");
  expect(await navigator.clipboard.readText()).toBe(YAML);

  expect((await openText(user)).readOnly).toBe(true);
});

it("shows the YAML where there is no clipboard, and takes no draft into a managed set", async () => {
  stored = { ...revision(8, 20), managedBy: "files: headgate.yaml" };
  setDraft(scope, { baseRevision: 8, base: policySet(20) as never, set: policySet(15) as never });
  const user = show();
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValueOnce(new Error("not allowed"));
  const note = await screen.findByTestId("managed");
  const copy = within(note).getByRole("button", { name: "Copy as YAML" }) as HTMLButtonElement;
  await waitFor(() => expect(copy.disabled).toBe(false));
  await user.click(copy);
  expect(((await screen.findByLabelText("Policy set as YAML")) as HTMLTextAreaElement).value).toBe(YAML);
  expect(((await screen.findByLabelText("max")) as HTMLInputElement).value).toBe("20");
});

it("shows a draft that files have overtaken, to be copied or discarded", async () => {
  stored = { ...revision(9, 12), managedBy: "files: shop.yaml" };
  setDraft(scope, { baseRevision: 8, base: policySet(20) as PolicySet, set: policySet(15) as PolicySet });
  const user = show();
  const kept = within(await screen.findByTestId("kept-draft"));
  kept.getByText("+ max: 15");
  await waitFor(() =>
    expect(kept.getByRole<HTMLButtonElement>("button", { name: "Copy as YAML" }).disabled).toBe(false),
  );
  await user.click(kept.getByRole("button", { name: "Copy as YAML" }));
  expect(await navigator.clipboard.readText()).toContain("max: 15");
  await user.click(kept.getByRole("button", { name: "Discard" }));
  expect(screen.queryByTestId("kept-draft")).toBeNull();
});

it("offers no restore of a managed set", async () => {
  stored = { ...revision(8, 20), managedBy: "files: headgate.yaml" };
  service.use(http.get(at("/revisions"), () => HttpResponse.json({ items: [stored, revision(7, 12)] })));
  const user = show();
  await user.click(await screen.findByRole("button", { name: "History" }));
  await screen.findByText("rev 7", { selector: "b" });
  expect(screen.queryByRole("button", { name: /Restore as/ })).toBeNull();
});

it("names the version that a policy is pinned to", async () => {
  const pinned = { ...policySet(20), policies: [{ plugin: "min-max", version: "1", parameters: { min: 2, max: 20 } }] };
  stored = { ...revision(8, 20), policySet: pinned };
  show();
  expect(await within(await screen.findByTestId("policy-min-max")).findByText("version 1")).toBeTruthy();
});

it("compares any two revisions", async () => {
  service.use(
    http.get(at("/revisions"), () => HttpResponse.json({ items: [revision(8, 20), revision(7, 12), revision(6, 9)] })),
  );
  const user = show();
  await user.click(await screen.findByRole("button", { name: "History" }));
  const compared = await screen.findByRole("region", { name: "Compare two revisions" });
  expect(compared.textContent).toContain("- max: 12+ max: 20");
  await user.selectOptions(within(compared).getByLabelText("From revision"), "rev 6");
  expect(compared.textContent).toContain("- max: 9+ max: 20");
});

const draftOf = (max: number): PolicySet => ({ policies: [{ plugin: "min-max", parameters: { min: 2, max } }] });

it("is read-only for a reader, who is told so and sees nothing that the service would refuse", async () => {
  setDraft(scope, { baseRevision: 8, base: draftOf(20), set: draftOf(15) });
  show(false);
  expect((await screen.findByTestId("reader")).textContent).toContain("You are signed in as a reader.");
  const max = (await screen.findByLabelText("max")) as HTMLInputElement;
  expect(max.matches(":disabled")).toBe(true);
  expect(max.value).toBe("20");
  const names = screen.getAllByRole("button").map((button) => button.textContent ?? "");
  expect(names).toContain("History");
  expect(names.filter((name) => /Apply|No changes|Replay|Shadow|^\+/.test(name))).toEqual([]);
  expect(screen.getByTestId("kept-draft").textContent).toContain("+ max: 15");
});

it("says that a database has no set yet, as the list of databases does", async () => {
  const none = { ...revision(0, 0), policySet: { policies: [], whenExhausted: null } };
  service.use(http.get("*/api/v1/databases/main/policies", () => HttpResponse.json(none)));
  show(true, { kind: "database", name: "main" });
  expect((await screen.findByTestId("revision")).textContent).toBe("none yet");
});

it("shows what a database's policies answer, and whether they limit a pool of it", async () => {
  service.use(http.get("*/api/v1/databases/main/policies", () => HttpResponse.json(stored)));
  const limit = { by: "policy", policy: "database/min-max", reason: "", holdsBack: true };
  const answers = [{ policy: "database/min-max", floor: 0, ceiling: 12, reason: "12 is enough for all." }];
  const domains = [pool("bank"), pool("gallery", { limit })];
  live.apply(snapshot(1, { domains, databases: [{ name: "main", reachable: true, answers }] }) as unknown as Frame);
  show(true, { kind: "database", name: "main" });
  const form = within(await screen.findByTestId("policy-min-max"));
  expect(await form.findByText("answers ≤ 12")).toBeTruthy();
  expect(form.getByText("12 is enough for all.")).toBeTruthy();
  expect(form.getByText("binding")).toBeTruthy();
});
