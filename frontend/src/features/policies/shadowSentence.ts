import type { ShadowSet } from "@/api/types";

/** Compares a shadow set with the live one, in one or two sentences. */
export function shadowSentence({ steps, differed, live, shadow }: ShadowSet): string {
  if (steps === 0 || !live || !shadow) return "It has not been asked yet.";
  const share = (100 * differed) / steps;
  const often =
    differed === 0
      ? "It has agreed with the live set so far."
      : `It would have differed ${share < 1 ? "in less than 1 %" : `in ${Math.round(share)} %`} of ${steps.toLocaleString("en")} steps.`;
  const same = live.floor === shadow.floor && live.ceiling === shadow.ceiling;
  return same
    ? often
    : `${often} Now it would hold ${shadow.floor} to ${shadow.ceiling} connections, the live set holds ${live.floor} to ${live.ceiling}.`;
}
