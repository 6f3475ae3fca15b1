import type { PolicySet } from "@/api/types";
import { subjectOf } from "./draft";

/** Where a fault of a draft is: in words, and in the form. */
export type FaultPlace = {
  /** "min-max: min". */
  words: string;
  /** The name of the form's section. */
  section: string;
  /** The ids that the field may have, the most exact first. None if the section's faulty field is meant. */
  ids: string[];
};

/** The place of a JSON pointer into a policy set; null if it leads to none of its policies. */
export function faultPlace(set: PolicySet, pointer: string): FaultPlace | null {
  const [top, ...steps] = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (top === "whenExhausted") return { words: named("When exhausted", steps), section: "When exhausted", ids: [] };
  const [at, kind, ...path] = steps;
  const section = top === "policies" ? subjectOf(set, Number(at)) : "";
  if (section === "") return null;
  if (kind !== "parameters") return { words: named(section, steps.slice(1)), section, ids: [] };
  const ids = path.map((_, i) => [`p${at}`, ...path.slice(0, path.length - i)].join("_"));
  return { words: named(section, path), section, ids };
}

/** The form counts the members of a list from 1. */
function named(section: string, path: readonly string[]): string {
  const field = path.map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : step)).join(" ");
  return field === "" ? `${section}:` : `${section}: ${field}`;
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
