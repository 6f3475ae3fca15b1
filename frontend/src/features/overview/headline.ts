/** The overview's title: it says whether something is wrong, where, and since when. Pure, so that it can be tested. */
import type { Alarm, Database, Pool } from "@/api/types";
import { age, spelled } from "@/format/format";
import { ofDatabase, pluginOf, policyName } from "@/policy/attribution";
import { worstAlarm } from "@/ui/poolStatus";

export type Headline = { tone: "calm" | "warn" | "bad"; text: string; aside: string };

type PoolFacts = Pick<Pool, "domain" | "alarms" | "binding" | "ceiling" | "database">;
type DatabaseFacts = Pick<Database, "name" | "reachable" | "unreachableReason">;

export function headline(pools: readonly PoolFacts[], databases: readonly DatabaseFacts[], now: number): Headline {
  const away = databases.filter((d) => !d.reachable);
  const alarmed = pools
    .map((pool) => ({ pool, alarm: worstAlarm(pool) }))
    .filter((x): x is { pool: PoolFacts; alarm: Alarm } => x.alarm !== null)
    .sort((a, b) => gravity(b.alarm) - gravity(a.alarm) || Date.parse(a.alarm.since) - Date.parse(b.alarm.since));

  if (away.length > 0) {
    const since = alarmed.find(({ alarm, pool }) => alarm.code === "unreachable" && pool.database === away[0]?.name);
    const names = list(away.map((d) => d.name));
    const how = since ? ` for ${age(now - Date.parse(since.alarm.since))}` : "";
    const hit = pools.filter((p) => away.some((d) => d.name === p.database)).length;
    return {
      tone: "bad",
      text: `${names} ${away.length === 1 ? "has" : "have"} been unreachable${how}`,
      aside:
        hit === 0
          ? "no domain uses it"
          : `${spelled(hit)} ${plural(hit, "domain")} ${hit === 1 ? "is" : "are"} without connections`,
    };
  }
  if (pools.length === 0)
    return { tone: "calm", text: "There are no domains yet", aside: "create one to give an application its pool" };

  const [worst] = alarmed;
  if (!worst) {
    const n = pools.length;
    return {
      tone: "calm",
      text:
        n === 1
          ? `${pools[0]?.domain} is fine`
          : n === 2
            ? "Both domains are fine"
            : `All ${spelled(n)} domains are fine`,
      aside: "",
    };
  }
  return {
    tone: worst.alarm.severity === "critical" ? "bad" : "warn",
    text: `${predicate(worst.pool, worst.alarm)} for ${age(now - Date.parse(worst.alarm.since))}`,
    aside: others(
      pools.length,
      alarmed.slice(1).map((x) => x.pool.domain),
    ),
  };
}

function gravity(alarm: Alarm): number {
  return (alarm.severity === "critical" ? 10 : 0) - (alarm.code === "paused" ? 5 : 0);
}

/** Subject and verb of an alarm's sentence. The caller appends "for 2 min 14 s". */
function predicate({ domain, binding, ceiling, database }: PoolFacts, alarm: Alarm): string {
  switch (alarm.code) {
    case "at-ceiling":
      if (binding && pluginOf(binding.policy) === "latency-cap")
        return `${domain} has been held at ${ofDatabase(binding.policy) ? `the latency cap of ${database}` : "its latency cap"}`;
      return `${domain} has been held at its ceiling of ${ceiling}${binding ? ` by ${policyName(binding.policy, database)}` : ""}`;
    case "at-rate":
      return `${domain} has had requests waiting for its rate limit`;
    case "cap-unattainable":
      return `${domain} has been over its latency cap even at its floor`;
    case "budget-exhausted":
      return `${domain} has been waiting for the budget of ${database}`;
    case "degraded":
      return `${domain} has been running on its last good limits`;
    case "unreachable":
      return `${domain} has had no database`;
    case "no-answer":
      return `${domain} has had no answer from ${database}`;
    case "wire-stalled":
      return `${domain} has not served clients of the wire port`;
    case "heap-full":
      return `${domain} has been in a Headgate that is short of memory`;
    case "draining":
      return `${domain} has been draining and refusing requests`;
    case "paused":
      return `${domain} has been paused`;
    default:
      return `${domain} has had the alarm “${alarm.code}”`;
  }
}

function others(total: number, alarmed: readonly string[]): string {
  const fine = total - 1 - alarmed.length;
  if (total === 1) return "";
  if (alarmed.length > 0) {
    const rest = fine > 0 ? `, ${spelled(fine)} ${fine === 1 ? "is" : "are"} fine` : "";
    return `${list(alarmed)} ${alarmed.length === 1 ? "needs" : "need"} a look too${rest}`;
  }
  return fine === 1 ? "the other domain is fine" : `the other ${spelled(fine)} domains are fine`;
}

function list(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? "";
  if (names.length > 3) return `${names.slice(0, 2).join(", ")} and ${spelled(names.length - 2)} more`;
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

const plural = (n: number, word: string) => (n === 1 ? word : `${word}s`);
