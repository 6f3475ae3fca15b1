/** What an action on a pool will do to whom, with the stream's newest numbers. Pure, so that it can be tested. */
import type { PoolAction } from "@/api/domains";
import type { Annotation, Domain, Pool, WireClient } from "@/api/types";
import { count } from "@/format/format";
import { UNTOLD } from "@/stream/freshness";
import type { Question } from "@/ui/Confirm";

type Facts = Pick<Pool, "domain" | "size" | "inUse" | "idle" | "waiting" | "arrivalsPerSecond">;

/** Null for what may happen at one click: it takes a restriction back. */
export function questionBefore(action: PoolAction, pool: Facts): Question | null {
  const { domain, size, inUse, idle, waiting } = pool;
  const arriving = arrivals(pool);
  switch (action) {
    case "pause":
      return {
        title: `Pause ${domain}?`,
        streamed: true,
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
        streamed: true,
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
        streamed: true,
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

/**
 * Before wire settings that refuse clients or statements. Null for others.
 *
 * @param change the settings that differ
 * @param connected clients now
 */
export function questionBeforeWire(
  domain: string,
  before: Domain["wire"],
  { mode, maxClients = before.maxClients, sessionState }: Partial<Domain["wire"]>,
  connected: number,
): Question | null {
  const lines = [
    ...(mode === "statement" ? ["Transactions of several statements fail, for clients that connect from now on."] : []),
    ...(mode === "session"
      ? ["A client that connects from now on keeps a connection until it leaves. Once all are kept, others wait."]
      : []),
    ...(sessionState === "refuse"
      ? ["LISTEN, temporary tables and what else needs its own connection fail, for clients that connect from now on."]
      : []),
    ...(maxClients < before.maxClients
      ? [
          `At most ${count(maxClients)} clients may be connected, not ${count(before.maxClients)}. ${
            connected > maxClients
              ? `Nobody can connect until ${count(connected - maxClients + 1)} have left.`
              : `${count(maxClients - connected)} more can connect.`
          }`,
        ]
      : []),
  ];
  if (lines.length === 0) return null;
  return {
    title: `Change how clients of ${domain} are served?`,
    lines: [...lines, `${count(connected)} connected now ${connected === 1 ? "keeps its" : "keep their"} settings.`],
    undo: "Saving the former settings takes it back. What was refused stays refused.",
    action: "Change the settings",
  };
}

export function questionBeforeDeletion(domain: string, pool: Facts | undefined): Question {
  return {
    title: `Remove ${domain}?`,
    streamed: true,
    lines: [...(pool ? ending(pool) : ["New requests are refused.", UNTOLD]), "Its policy sets are deleted."],
    undo: "This cannot be undone.",
    action: `Remove ${domain}`,
    danger: true,
    typed: domain,
  };
}

function ending(pool: Facts): string[] {
  const { waiting, inUse, idle } = pool;
  return [
    `New requests are refused${arrivals(pool)}.`,
    ...(waiting > 0 ? [`${requests(waiting)} that ${waits(waiting)} ${waiting === 1 ? "fails" : "fail"} now.`] : []),
    `${connections(inUse)} in use ${inUse === 1 ? "closes" : "close"} when released, ${count(idle)} idle now.`,
  ];
}

/** @param domains whose charts show it, as far as the stream has told */
export function questionBeforeUnmarking({ kind, text, domain, database }: Annotation, domains: number): Question {
  const all = `all domains${database ? ` of ${database}` : ""}${domains > 0 ? `: ${count(domains)} now` : ""}`;
  return {
    title: `Remove ${kind} ${text}?`,
    lines: [`It goes from the charts of ${domain ?? all}, for everybody.`],
    undo: "It can be written again, under your name.",
    action: "Remove it",
  };
}

export function questionBeforeRemoval(domain: string, { name, connected }: WireClient): Question {
  return {
    title: `Remove ${name}?`,
    lines: [
      connected > 0
        ? `${connections(connected)} of ${name} ${connected === 1 ? "ends" : "end"} now, with what ${connected === 1 ? "it does" : "they do"}.`
        : `${name} is not connected now.`,
      `It can no longer connect to ${domain}.`,
    ],
    undo: "This cannot be undone: a client that is added again gets another password.",
    action: `Remove ${name}`,
    danger: true,
    typed: name,
  };
}

function arrivals({ arrivalsPerSecond: many }: Facts): string {
  if (!(many > 0)) return "";
  return many < 1 ? " (less than 1 a second arrives)" : ` (${count(Math.round(many))} a second arrive)`;
}

const waits = (n: number) => (n === 1 ? "waits" : "wait");
const requests = (n: number) => `${count(n)} ${n === 1 ? "request" : "requests"}`;
const connections = (n: number) => `${count(n)} ${n === 1 ? "connection" : "connections"}`;
