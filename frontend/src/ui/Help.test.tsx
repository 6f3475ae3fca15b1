// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useFocusHelp } from "./Help";

/** jsdom has no popovers: this one tells of itself as a browser's does. */
function toggle(this: HTMLElement, newState: "open" | "closed") {
  if ((this.dataset.shown === "yes") === (newState === "open")) return;
  this.dataset.shown = newState === "open" ? "yes" : "no";
  this.dispatchEvent(Object.assign(new Event("beforetoggle"), { newState }));
}

/** jsdom does not tell how the focus came. */
let byKeyboard = true;
beforeEach(() => {
  byKeyboard = true;
  Object.assign(HTMLAnchorElement.prototype, {
    matches(this: HTMLAnchorElement, selector: string) {
      return selector === ":focus-visible" ? byKeyboard : Element.prototype.matches.call(this, selector);
    },
  });
  Object.assign(HTMLElement.prototype, {
    showPopover(this: HTMLElement) {
      toggle.call(this, "open");
    },
    hidePopover(this: HTMLElement) {
      toggle.call(this, "closed");
    },
  });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function Explained({ text }: { text: string | undefined }) {
  const { explained, bubble } = useFocusHelp(text);
  return (
    <>
      <a href="/" {...explained}>
        bank
      </a>
      {bubble}
    </>
  );
}

const WAITS = "3 requests wait.";

it("explains a link while the keyboard is on it, until Escape, and to a screen reader at any time", async () => {
  const user = userEvent.setup();
  render(<Explained text={WAITS} />);
  expect(screen.getByRole("link").getAttribute("aria-description")).toBe(WAITS);
  expect(screen.queryByText(WAITS)).toBeNull();
  await user.tab();
  expect(screen.getByText(WAITS).dataset.shown).toBe("yes");
  await user.keyboard("{Escape}");
  expect(screen.queryByText(WAITS)).toBeNull();
  await user.tab({ shift: true });
  await user.tab();
  expect(screen.getByText(WAITS).dataset.shown).toBe("yes");
  await user.tab();
  expect(screen.queryByText(WAITS)).toBeNull();
});

it("does not explain what is clicked", async () => {
  byKeyboard = false;
  render(<Explained text={WAITS} />);
  await userEvent.setup().tab();
  expect(screen.queryByText(WAITS)).toBeNull();
});

it("closes when there is nothing to explain any more, and explains nothing then", async () => {
  const user = userEvent.setup();
  const { rerender } = render(<Explained text={WAITS} />);
  await user.tab();
  rerender(<Explained text={undefined} />);
  const [bubble] = document.getElementsByClassName("help-text");
  expect((bubble as HTMLElement).dataset.shown).toBe("no");
  await user.tab({ shift: true });
  await user.tab();
  expect((bubble as HTMLElement).dataset.shown).toBe("no");
});
