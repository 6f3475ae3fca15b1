import type { PolicyPlugin, PolicySet } from "@/api/types";
import { pluginOf, subjectOf } from "./draft";

/** What the form calls the fields of that section. Files and the API call them by their keys. */
export const WHEN_EXHAUSTED: Readonly<Record<string, string>> = {
  mode: "A request without a connection",
  timeoutMs: "Longest wait (ms)",
  depth: "Most waiting",
};

/** Where a fault of a draft is: in words, and in the form. */
export type FaultPlace = {
  /** As the form says it: "min-max: Most connections". */
  words: string;
  /** What files and the API call the field, if that is another word. */
  key: string | null;
  /** The name of the form's section. */
  section: string;
  /** The ids that the field may have, the most exact first. None if the section's faulty field is meant. */
  ids: string[];
};

/** The place of a JSON pointer into a policy set; null if it leads to none of its policies. */
export function faultPlace(set: PolicySet, pointer: string, plugins: readonly PolicyPlugin[]): FaultPlace | null {
  const [top, ...steps] = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (top === "whenExhausted") {
    const title = (key: string) => WHEN_EXHAUSTED[key];
    return { ...named("When exhausted", steps, steps.map(title)), section: "When exhausted", ids: [] };
  }
  const [at, kind, ...path] = steps;
  const section = top === "policies" ? subjectOf(set, Number(at)) : "";
  if (section === "") return null;
  if (kind !== "parameters") return { ...named(section, steps.slice(1), []), section, ids: [] };
  const ids = path.map((_, i) => [`p${at}`, ...path.slice(0, path.length - i)].join("_"));
  const schema = pluginOf(plugins, set.policies[Number(at)])?.parameterSchema;
  return { ...named(section, path, titlesOf(schema, path)), section, ids };
}

type Schema = { title?: string; properties?: Record<string, Schema>; items?: Schema };

/** The title of each step of a path into a schema; undefined where it has none. */
function titlesOf(schema: unknown, path: readonly string[]): (string | undefined)[] {
  let here = schema as Schema | undefined;
  return path.map((step) => {
    here = here?.properties?.[step] ?? here?.items;
    return here?.title;
  });
}

const isIndex = (step: string) => /^\d+$/.test(step);

/** The form counts the members of a list from 1. */
function named(section: string, path: readonly string[], titles: readonly (string | undefined)[]) {
  const words = path.map((step, i) => (isIndex(step) ? String(Number(step) + 1) : (titles[i] ?? step)));
  const last = path.findLastIndex((step) => !isIndex(step));
  return {
    words: words.length === 0 ? `${section}:` : `${section}: ${words.join(" ")}`,
    key: last < 0 || words[last] === path[last] ? null : (path[last] ?? null),
  };
}

/** The control of a place within the form. */
export function controlAt(form: Element, { section, ids }: FaultPlace): HTMLElement | null {
  for (const id of ids) {
    const control = form.querySelector<HTMLElement>(`[id="${id}"]`);
    if (control) return control;
  }
  const area = [...form.querySelectorAll("section")].find((each) => each.getAttribute("aria-label") === section);
  return (
    area?.querySelector<HTMLElement>("[aria-invalid=true]") ??
    area?.querySelector<HTMLElement>("input, select, textarea") ??
    null
  );
}
