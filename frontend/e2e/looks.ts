/** What is wrong with how a page looks and is reached: faults that axe finds, what is cut, and what hides the focus. */
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { settled, still } from "./service";

export const WIDTHS = [360, 1280, 2560] as const;

/** axe takes a minute for a page on a machine that others use too. */
export const PATIENCE_MS = 600_000;

const softly = expect.configure({ soft: true });

/** The first frame tells what depends on the width; the second one draws what that changed. */
export const drawnTwice = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

/**
 * A drawer's title stands in a <header>. axe takes it for a second banner, because the drawer's section has the role of a
 * dialog; browsers do not, and the page behind a modal dialog is out of reach.
 */
const OF_DRAWERS = ["landmark-no-duplicate-banner", "landmark-unique"];

/** What opens over a page, and is there now. */
const OPENED = "[role=dialog], [role=menu], .help-text:popover-open";

/** The rules of axe that look at colours. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** What axe finds: by all of its rules in the light theme, by those of colours in the dark one, which changes nothing else. */
export async function faults(page: Page) {
  const light = await found(page, "light", axe(page));
  return [...light, ...(await found(page, "dark", axe(page).withRules(OF_COLOURS)))];
}

/** The same of what is open over a page: of the whole page in the light theme; in the dark one the page itself was looked at when nothing was open. */
export async function faultsOfOpened(page: Page) {
  const light = await found(page, "light", axe(page).disableRules(OF_DRAWERS));
  return [...light, ...(await found(page, "dark", axe(page).withRules(OF_COLOURS).include(OPENED)))];
}

/** For this page alone: none has a frame of another site, for which axe would open a page of its own each time. */
const axe = (page: Page) => new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();

async function found(page: Page, theme: "light" | "dark", axe: AxeBuilder) {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", theme);
  await still(page); // no colour is on its way to another
  const { violations } = await axe.analyze();
  return violations.map(
    (v) => `${theme}, ${v.id}: ${v.nodes.map((n) => `${n.target} ${n.failureSummary}`).join(" | ")}`,
  );
}

/** Expects that nothing is cut at any usual width. `ready` waits until the page is complete after its width has changed. */
export async function expectNothingCut(page: Page, name: string, ready: (page: Page) => Promise<void> = settled) {
  const before = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(drawnTwice);
    await ready(page);
    await softly.poll(() => page.evaluate(tooWide), `${name} at ${width} px`).toEqual([]);
  }
  if (before) await page.setViewportSize(before);
}

/** What is wider than its place: the page itself, every text that is cut without an ellipsis or a scroll bar, and every broken word. */
function tooWide(): string[] {
  const found: string[] = [];
  const main = document.querySelector("main") as HTMLElement;
  if (document.documentElement.scrollWidth > window.innerWidth)
    found.push(`page ${document.documentElement.scrollWidth}`);
  if (main.scrollWidth > main.clientWidth) found.push(`main ${main.scrollWidth} of ${main.clientWidth}`);
  const scrolls = (element: Element | null): boolean =>
    element !== null &&
    (["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  for (const element of main.querySelectorAll<HTMLElement>("*")) {
    const style = getComputedStyle(element);
    if (style.position === "absolute" || style.clipPath !== "none" || element.closest(".cm-editor, .sr-only")) continue;
    const words = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
    if (!words || style.display === "inline") continue;
    // A name in the API is one word: in a column that is too narrow it stands letter by letter.
    if (element.matches("code.key") && element.getBoundingClientRect().height > 3 * Number.parseFloat(style.fontSize))
      found.push(`broken: ${element.textContent}`);
    const cut = style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
    if (cut && style.textOverflow !== "ellipsis" && !scrolls(element)) found.push(`cut: ${element.textContent}`);
    const box = element.getBoundingClientRect();
    if (box.right > window.innerWidth + 1 && !scrolls(element.parentElement))
      found.push(`outside: ${element.textContent}`);
  }
  return found;
}

/** More stops of one page are more rows of a list that was walked over already. */
const MOST_STOPS = 80;

/** Where each walk goes: a reader tabs down a wide page and, on a narrow one, back up below what stays at the top. */
const WALKS = [
  { key: "Tab", width: 1280, height: 700 },
  { key: "Shift+Tab", width: 360, height: 640 },
] as const;

/** Walks over everything in the page's content that takes the focus, forth and back. Tells what was hidden while it had the focus. */
export async function hiddenStops(page: Page, ready: (page: Page) => Promise<void> = settled): Promise<string[]> {
  const before = page.viewportSize();
  const hidden: string[] = [];
  for (const { key, width, height } of WALKS) {
    await page.setViewportSize({ width, height });
    await page.evaluate(drawnTwice);
    await ready(page);
    await page.evaluate(key === "Tab" ? startBefore : startBehind);
    let stops = 0;
    let inside = false;
    for (; stops < MOST_STOPS; stops++) {
      await page.keyboard.press(key);
      const { within, fault } = await page.evaluate(focus);
      if (inside && !within) break;
      inside ||= within;
      // What is on its way, such as a page that scrolls, is looked at again.
      const stays = inside && fault ? await hiddenFocus(page) : null;
      if (stays) hidden.push(`${stays}, ${key} at ${width} px`);
    }
    if (!inside) hidden.push(`no ${key} leads into the page at ${width} px`);
  }
  if (before) await page.setViewportSize(before);
  return hidden;
}

/** The next Tab goes to the first stop of the content, as after "Skip to the content". */
function startBefore() {
  const main = document.querySelector("main") as HTMLElement;
  main.scrollTo(0, 0);
  main.tabIndex = -1; // the form that asks for the token has no link that skips to it
  main.focus();
}

/** The next Shift+Tab goes to the last stop of the page. */
function startBehind() {
  const end = document.createElement("button");
  end.style.cssText = "position: fixed; bottom: 0; opacity: 0; pointer-events: none";
  document.body.append(end);
  end.focus();
  end.addEventListener("blur", () => end.remove());
}

/** What has the focus, if it lies outside of the window, or something lies over it when the page is drawn. */
export async function hiddenFocus(page: Page): Promise<string | null> {
  await page.evaluate(drawnTwice);
  return (await page.evaluate(focus)).fault;
}

function focus(): { within: boolean; fault: string | null } {
  const element = document.activeElement as HTMLElement;
  const within = element.matches("main *");
  if (element === document.body) return { within, fault: null };
  const shown = element.matches(".seg input") ? element.parentElement! : element;
  const box = shown.getClientRects()[0] ?? shown.getBoundingClientRect(); // of a link over two lines its first
  const scroller = document.querySelector("main")!.getBoundingClientRect();
  // Of what is higher than the window a part is seen, and is looked at where it is.
  const [top, bottom] =
    box.height > scroller.height
      ? [Math.max(box.top, scroller.top), Math.min(box.bottom, scroller.bottom)]
      : [box.top, box.bottom];
  const [x, y] = [box.left + box.width / 2, Math.min((top + bottom) / 2, top + 20)];
  const over = document.elementFromPoint(x, y);
  if (over !== null && shown.contains(over)) return { within, fault: null };
  return { within, fault: `${element.outerHTML.slice(0, 120)} at ${Math.round(x)}, ${Math.round(y)}` };
}
