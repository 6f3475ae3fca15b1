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
