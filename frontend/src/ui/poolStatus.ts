import type { Alarm, Pool } from "@/api/types";
import { pluginOf } from "@/policy/attribution";

export type Tone = "good" | "warn" | "bad" | "quiet";
export type PoolStatus = { tone: Tone; shape: string; label: string; alarm: Alarm | null };

const GRAVITY: Record<string, number> = {
  "heap-full": 9,
  "wire-stalled": 8,
  unreachable: 7,
  degraded: 6,
  "no-answer": 5,
  "cap-unattainable": 4,
  "budget-exhausted": 3,
  draining: 2,
  paused: 2,
  "at-ceiling": 1,
  "at-rate": 1,
};

/** Alarms that repeat the pool's state, which has words of its own. */
const OF_STATE = new Set(["paused", "draining"]);

/** The most important alarm: critical before warning, then by code, then the older one. */
export function worstAlarm(pool: Pick<Pool, "alarms">): Alarm | null {
  const critical = (a: Alarm) => (a.severity === "critical" ? 1 : 0);
  return (
    [...(pool.alarms ?? [])].sort(
      (a, b) =>
        critical(b) - critical(a) ||
        (GRAVITY[b.code] ?? 0) - (GRAVITY[a.code] ?? 0) ||
        Date.parse(a.since) - Date.parse(b.since),
    )[0] ?? null
  );
}

/** A pool's status as one label and one shape. */
export function poolStatus(pool: Pick<Pool, "alarms" | "state" | "binding" | "degraded">): PoolStatus {
  const alarm = worstAlarm(pool);
  if (alarm && !OF_STATE.has(alarm.code)) {
    const tone = alarm.severity === "critical" ? "bad" : "warn";
    return { tone, shape: tone === "bad" ? "■" : "▲", label: word(alarm, pool), alarm };
  }
  if (pool.state === "paused") return { tone: "quiet", shape: "‖", label: "paused", alarm };
  if (pool.state === "draining") return { tone: "warn", shape: "▽", label: "draining", alarm };
  if (pool.degraded) return { tone: "warn", shape: "▲", label: "degraded", alarm };
  return { tone: "good", shape: "●", label: "fine", alarm };
}

function word(alarm: Alarm, pool: Pick<Pool, "binding">): string {
  switch (alarm.code) {
    case "at-ceiling":
      return pool.binding && pluginOf(pool.binding.policy) === "latency-cap" ? "at cap" : "at ceiling";
    case "cap-unattainable":
      return "cap unattainable";
    case "budget-exhausted":
      return "budget exhausted";
    case "wire-stalled":
      return "wire port stalled";
    default:
      return alarm.code.replaceAll("-", " ");
  }
}
