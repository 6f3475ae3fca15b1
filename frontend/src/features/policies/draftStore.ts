import { useSyncExternalStore } from "react";
import { type Scope, scopeKey } from "@/api/policies";
import type { PolicySet, PolicySetRevision } from "@/api/types";
import { changes, type Draft, sameSet } from "./draft";

/** Keeps drafts when the user changes the page or reloads the tab. */
const KEY = "headgate.drafts";
const listeners = new Set<() => void>();
let drafts: Readonly<Record<string, Draft>> = read();

function read(): Record<string, Draft> {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}

export function setDraft(scope: Scope, draft: Draft | null): void {
  const { [scopeKey(scope)]: _, ...others } = drafts;
  drafts = draft ? { ...others, [scopeKey(scope)]: draft } : others;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(drafts));
  } catch {
    // Without storage a draft lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** The draft is in force as it was sent. What was typed since then is a draft on that, without the reason and the guard of what was sent. */
export function putInForce(scope: Scope, sent: PolicySet, taken: PolicySetRevision): void {
  const draft = drafts[scopeKey(scope)];
  if (!draft) return;
  const { set, unread = null } = draft;
  const isAsSent = sameSet(set, sent) && unread === null;
  setDraft(scope, isAsSent ? null : { baseRevision: taken.revision, base: taken.policySet, set, unread });
}

/** The draft runs as the shadow set. It is none any more, unless it was changed since it was sent; its reason and its guard stay. */
export function putBeside(scope: Scope, sent: PolicySet): void {
  const draft = drafts[scopeKey(scope)];
  if (draft && sameSet(draft.set, sent)) setDraft(scope, { ...draft, set: draft.base });
}

/** What was drafted for a domain or a database that is removed would be offered to the next one of its name. */
export const forgetDraft = (scope: Scope) => setDraft(scope, null);

export function useDraft(scope: Scope): Draft | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => drafts[scopeKey(scope)] ?? null,
  );
}

/** The number of changes in a scope's draft, for the button that opens the sheet. */
export function useDraftSize(scope: Scope): number {
  const draft = useDraft(scope);
  return draft ? changes(draft.base, draft.set).length : 0;
}
