import { useEffect, useSyncExternalStore } from "react";

/** The tab's title: what needs attention (a prefix, which may be empty), the page, the product. */
let prefix = "";
let page = "";
const listeners = new Set<() => void>();

function write(): void {
  document.title = [prefix, page && `${page} · `, "Headgate"].join("");
  for (const listener of listeners) listener();
}

/** Names the page in the tab's title: "auction" becomes "auction · Headgate". */
export function usePageTitle(name: string): void {
  useEffect(() => {
    page = name;
    write();
  }, [name]);
}

/** Puts text before the title of every page, for instance "(2) ". */
export function setTitlePrefix(text: string): void {
  if (text === prefix) return;
  prefix = text;
  write();
}

/** The name of the page that is shown. */
export function useShownPage(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => page,
  );
}
