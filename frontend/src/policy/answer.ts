import type { Answer } from "@/api/types";
import { count } from "@/format/format";

type Limits = Pick<Answer, "floor" | "ceiling" | "guaranteed" | "weight" | "ratePerSecond" | "whenExhausted">;

/** One policy's answer in figures: "2 … 20", "≤ 7", "guaranteed 10, weight 4", "at most 20/s", "reject when exhausted". */
export function answerText({ floor, ceiling, guaranteed, weight, ratePerSecond, whenExhausted }: Limits): string {
  const parts: string[] = [];
  if (floor && ceiling != null) parts.push(`${floor} … ${ceiling}`);
  else if (ceiling != null) parts.push(`≤ ${ceiling}`);
  else if (floor) parts.push(`≥ ${floor}`);
  if (guaranteed) parts.push(`guaranteed ${guaranteed}`);
  if (weight != null) parts.push(`weight ${count(weight)}`);
  if (ratePerSecond != null) parts.push(`at most ${count(ratePerSecond)}/s`);
  if (whenExhausted && whenExhausted !== "queue") parts.push(`${whenExhausted} when exhausted`); // it queues unless something says otherwise
  return parts.join(", ") || "no limit";
}

/** Each answer with its place among those of its policy: a set may use a plugin twice, and its answers are in its order. */
export function placed<A extends { policy: string }>(answers: readonly A[]): { answer: A; place: number }[] {
  const seen = new Map<string, number>();
  return answers.map((answer) => {
    const place = seen.get(answer.policy) ?? 0;
    seen.set(answer.policy, place + 1);
    return { answer, place };
  });
}

/** What one use of a policy answers. */
export const answerAt = <A extends { policy: string }>(answers: readonly A[], policy: string, place: number) =>
  answers.filter((answer) => answer.policy === policy)[place];

type Strict = Pick<Answer, "policy" | "ceiling" | "ratePerSecond">;

/** The answer that limits a pool: of a policy that is used twice, the stricter one. */
export function bindingAnswer<A extends Strict>(
  answers: readonly A[],
  { by, policy }: { by: string; policy: string | null },
): A | undefined {
  const allowed = (answer: A) => (by === "rate" ? answer.ratePerSecond : answer.ceiling) ?? Number.POSITIVE_INFINITY;
  return answers
    .filter((answer) => answer.policy === policy)
    .reduce<A | undefined>((least, each) => (least && allowed(least) <= allowed(each) ? least : each), undefined);
}
