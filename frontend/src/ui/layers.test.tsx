// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type FormEvent, type ReactNode, useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { Confirm } from "./Confirm";
import { Drawer, Modal } from "./layers";

afterEach(cleanup);

const question = { title: "Lower the budget?", lines: [], action: "Lower it" };
const submitted = vi.fn((event: FormEvent) => event.preventDefault());
const confirmed = vi.fn();

/** A drawer with a form, which asks before it is sent. */
function Edit() {
  const [open, setOpen] = useState(true);
  const [asked, setAsked] = useState(false);
  return (
    <MantineProvider env="test">
      <Drawer opened={open} onClose={() => setOpen(false)} title="Edit main">
        <form onSubmit={submitted}>
          <button type="button" onClick={() => setAsked(true)}>
            Ask
          </button>
          <Confirm question={asked ? question : null} onConfirm={confirmed} onClose={() => setAsked(false)} />
        </form>
      </Drawer>
    </MantineProvider>
  );
}

async function ask() {
  const user = userEvent.setup();
  render(<Edit />);
  await user.click(await screen.findByRole("button", { name: "Ask" }));
  await screen.findByRole("dialog", { name: "Lower the budget?" });
  return user;
}

it("closes by Escape what lies on top, and the rest by the next ones", async () => {
  const user = await ask();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Lower the budget?" })).toBeNull());
  expect(screen.getByRole("dialog", { name: "Edit main" })).toBeTruthy();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("submits no form that a question stands in", async () => {
  const user = await ask();
  await user.click(screen.getByRole("button", { name: "Lower it" }));
  expect(confirmed).toHaveBeenCalledOnce();
  expect(submitted).not.toHaveBeenCalled();
});

/** Alarms with a button each, which goes when its question is answered, as the question does. */
function Acknowledge() {
  const [asked, setAsked] = useState(false);
  const [seen, setSeen] = useState(false);
  const answer = () => {
    setSeen(true);
    setAsked(false);
  };
  return (
    <MantineProvider env="test">
      <a href="/first">First on the page</a>
      <p>
        {!seen && (
          <button type="button" onClick={() => setAsked(true)}>
            Acknowledge…
          </button>
        )}
        <button type="button">Silence…</button>
      </p>
      {asked && (
        <Modal opened onClose={() => setAsked(false)} title="Acknowledge it">
          <button type="button" onClick={answer}>
            Acknowledge
          </button>
        </Modal>
      )}
    </MantineProvider>
  );
}

it("gives the focus back when it is taken off the page, and to a neighbour where what opened it has gone", async () => {
  const user = userEvent.setup();
  render(<Acknowledge />);
  const opener = screen.getByRole("button", { name: "Acknowledge…" });
  await user.click(opener);
  await screen.findByRole("dialog");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(document.activeElement).toBe(opener));
  await user.click(opener);
  await user.click(await screen.findByRole("button", { name: "Acknowledge" }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Silence…" })));
});

it("leaves the focus to whoever has gone on by then, also where what opened it has gone", () => {
  vi.useFakeTimers();
  try {
    render(<Acknowledge />);
    const opener = screen.getByRole("button", { name: "Acknowledge…" });
    opener.focus();
    fireEvent.click(opener);
    fireEvent.click(screen.getByRole("button", { name: "Acknowledge" }));
    const next = screen.getByRole("link");
    next.focus();
    vi.advanceTimersByTime(1_000);
    expect(document.activeElement).toBe(next);
  } finally {
    vi.useRealTimers();
  }
});

it("gives the focus back where a question closes with the dialog that it stands in", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} })); // with motion
  function Settings() {
    const [open, setOpen] = useState<boolean>(); // it is loaded when it is first opened
    const [asked, setAsked] = useState(false);
    return (
      <MantineProvider>
        <a href="/first">First on the page</a>
        <p>
          <button type="button" onClick={() => setOpen(true)}>
            Settings…
          </button>
        </p>
        {open !== undefined && (
          <Modal opened={open} onClose={() => setOpen(false)} title="Settings">
            <button type="button" onClick={() => setAsked(true)}>
              Save
            </button>
            <Confirm
              question={asked ? question : null}
              onConfirm={() => setOpen(false)}
              onClose={() => setAsked(false)}
            />
          </Modal>
        )}
      </MantineProvider>
    );
  }
  const user = userEvent.setup();
  render(<Settings />);
  const opener = screen.getByRole("button", { name: "Settings…" });
  await user.click(opener);
  await user.click(await screen.findByRole("button", { name: "Save" }));
  const confirm = await screen.findByRole<HTMLButtonElement>("button", { name: "Lower it" });
  await user.click(confirm);
  confirm.blur(); // as a browser does with one that is disabled while it works
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(opener));
});

/** A page that goes when a question on it is answered, for what `after` shows. */
function Removal({ leave, after }: { leave: () => void; after: ReactNode }) {
  const [asked, setAsked] = useState(false);
  const [removed, setRemoved] = useState(false);
  const answer = () => {
    leave();
    setRemoved(true);
  };
  return (
    <MantineProvider env="test">
      <a href="/skip">Skip to the content</a>
      <main>
        {removed ? (
          after
        ) : (
          <>
            <button type="button" onClick={() => setAsked(true)}>
              Remove…
            </button>
            {asked && (
              <Modal opened onClose={() => setAsked(false)} title="Remove it?">
                <button type="button" onClick={answer}>
                  Remove it
                </button>
              </Modal>
            )}
          </>
        )}
      </main>
    </MantineProvider>
  );
}

it("gives the focus to nothing where the page has gone: neither to its frame nor to the page that follows", () => {
  vi.useFakeTimers();
  try {
    const another = () => window.history.pushState(null, "", "/another");
    for (const page of [
      <Removal key="gone" leave={() => {}} after="There is no such domain" />,
      <Removal key="next" leave={another} after={<a href="/first">First of another page</a>} />,
    ]) {
      render(page);
      const opener = screen.getByRole("button", { name: "Remove…" });
      opener.focus();
      fireEvent.click(opener);
      fireEvent.click(screen.getByRole("button", { name: "Remove it" }));
      vi.advanceTimersByTime(1_000);
      expect(document.activeElement).toBe(document.body);
      cleanup();
    }
  } finally {
    vi.useRealTimers();
  }
});

it("gives the focus to nothing where all that opened it has gone: no part of the page is the next to it", () => {
  vi.useFakeTimers();
  try {
    const { unmount } = render(<Acknowledge />);
    const opener = screen.getByRole("button", { name: "Acknowledge…" });
    opener.focus();
    fireEvent.click(opener);
    unmount();
    render(<input aria-label="Another page" />);
    vi.advanceTimersByTime(1_000);
    expect(document.activeElement).toBe(document.body);
  } finally {
    vi.useRealTimers();
  }
});
