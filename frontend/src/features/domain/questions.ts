/** What an action on a pool will do to whom, with the numbers of now, or of when the stream was lost. Pure, so that it can be tested. */
import type { PoolAction } from "@/api/domains";
import type { Pool } from "@/api/types";
import { count } from "@/format/format";
import type { Question } from "@/ui/Confirm";

type Facts = Pick<Pool, "domain" | "size" | "inUse" | "idle" | "waiting" | "arrivalsPerSecond">;

/**
 * Null for what may happen at one click: it takes a restriction back.
 *
 * @param current whether these facts are of now
 */
export function questionBefore(action: PoolAction, pool: Facts, current: boolean): Question | null {
  const { domain, size, inUse, idle, waiting } = pool;
  const arriving = arrivals(pool.arrivalsPerSecond, current);
  switch (action) {
    case "pause":
      return {
        title: `Pause ${domain}?`,
        lines: [
          `New requests wait until you resume${arriving}. Each fails when its own deadline passes.`,
          ...(waiting > 0
            ? [`${requests(waiting)} already ${waits(waiting)} and ${waiting === 1 ? "goes" : "go"} on waiting.`]
            : []),
          inUse > 0
            ? `${connections(inUse)} in use ${inUse === 1 ? "finishes its" : "finish their"} work.`
            : "No connection is in use.",
        ],
        undo: "Resume takes it back at once.",
        action: `Pause ${domain}`,
      };
    case "flush":
      return {
        title: `Flush ${domain}?`,
        lines: [
          `${connections(size)} ${size === 1 ? "is" : "are"} closed and opened again.`,
          ...(idle > 0 ? [`${count(idle)} idle ${idle === 1 ? "is" : "are"} replaced now.`] : []),
          ...(inUse > 0
            ? [`${count(inUse)} in use ${inUse === 1 ? "is" : "are"} replaced when released; no work is cut.`]
            : []),
        ],
        undo: "Requests may wait for the log-ins. It cannot be stopped once begun.",
        action: `Flush ${domain}`,
      };
    case "drain":
      return {
        title: `Drain ${domain}?`,
        lines: [
          `New requests are refused until you resume${arriving}.`,
          ...(waiting > 0
            ? [`${requests(waiting)} that ${waits(waiting)} ${waiting === 1 ? "is" : "are"} refused now.`]
            : []),
          ...(inUse > 0
            ? [`${connections(inUse)} in use ${inUse === 1 ? "closes" : "close"} when released; no work is cut.`]
            : []),
          ...(idle > 0 ? [`${count(idle)} idle ${idle === 1 ? "closes" : "close"} now.`] : []),
        ],
        undo: "Resume takes it back. What was refused stays refused.",
        action: `Drain ${domain}`,
        danger: true,
      };
    case "resume":
      return null;
  }
}

function arrivals(perSecond: number, current: boolean): string {
  if (!(perSecond > 0)) return "";
  const few = perSecond < 1;
  const many = few ? "less than 1" : count(Math.round(perSecond));
  const arrive = current ? `${few ? "arrives" : "arrive"} now` : "arrived when last seen";
  return ` (${many} a second ${arrive})`;
}

const waits = (n: number) => (n === 1 ? "waits" : "wait");
const requests = (n: number) => `${count(n)} ${n === 1 ? "request" : "requests"}`;
const connections = (n: number) => `${count(n)} ${n === 1 ? "connection" : "connections"}`;
