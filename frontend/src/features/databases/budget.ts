/** What a budget means for the server and for those who hold connections now. Pure. */
import type { Database, DatabasePatch } from "@/api/types";
import { count } from "@/format/format";
import { UNTOLD } from "@/stream/freshness";
import type { Question } from "@/ui/Confirm";

type Place = Pick<Database, "name" | "host" | "port">;
type Facts = Place & Pick<Database, "budget" | "serverMaxConnections" | "othersUse" | "serverStartedAt">;

/**
 * Why the budgets on one server are more than it can give, or null. Others' connections count, because they are there already.
 *
 * @param budget the one in the form
 * @param place what the form says of the database, which may be new
 * @param all databases; one of them on the same server tells what it gives
 */
export function overcommitted(budget: number, place: Place, all: readonly Facts[]): string | null {
  const here = onServerOf(place, all);
  const { serverMaxConnections: most, othersUse } = here.find((d) => d.serverMaxConnections != null) ?? {};
  if (most == null || !Number.isFinite(budget)) return null;
  const siblings = here.filter((d) => d.name !== place.name);
  const promised = siblings.reduce((sum, d) => sum + d.budget, budget);
  const others = othersUse ?? 0;
  if (promised + others <= most) return null;
  const whose =
    siblings.length === 0
      ? `A budget of ${count(budget)}`
      : `The budgets on this server (${[`${place.name || "this one"} ${count(budget)}`, ...siblings.map((d) => `${d.name} ${count(d.budget)}`)].join(", ")})`;
  const is = siblings.length === 0 && others === 0 ? "is" : "are";
  const and = others > 0 ? ` and ${count(others)} connections of others` : "";
  return `${whose}${and} ${is} more than the ${count(most)} connections that the server gives. It will refuse some.`;
}

/** Those on the server at an address. A server has many names; no two of them started in the same microsecond. */
function onServerOf(place: Place, all: readonly Facts[]): Facts[] {
  const isThere = (d: Facts) => hostOf(d) === hostOf(place) && d.port === place.port;
  const started = new Set(all.filter(isThere).flatMap((d) => d.serverStartedAt ?? []));
  return all.filter((d) => isThere(d) || (d.serverStartedAt != null && started.has(d.serverStartedAt)));
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?|(0+:){7}0*1)$/;

/** The host by one name, whichever of a machine's names for itself was written. */
function hostOf({ host }: Place): string {
  const name = host.trim().toLowerCase().replace(/\.$/, "");
  return LOOPBACK.test(name) ? "localhost" : name;
}

type Held = { inUse: number; size: number };

/** What the stream has told of a database; what it has not is undefined. */
export type Told = { open: number | undefined; pools: readonly Held[] | undefined; current: boolean };

/**
 * Before a change that closes connections. Null for others. A lower budget may close some as long as nobody knows how many are open now.
 *
 * @param change the fields that differ
 */
export function questionBefore(
  { name, domains, budget: former }: Pick<Database, "name" | "domains" | "budget">,
  { budget, ...settings }: DatabasePatch,
  { open, pools, current }: Told,
): Question | null {
  const flushes = Object.keys(settings).length > 0 && domains.length > 0;
  const cuts = budget != null && budget < (current && open !== undefined ? open : former);
  if (!flushes && !cuts) return null;
  const sum = (of: (pool: Held) => number) => (pools ?? []).reduce((all, pool) => all + of(pool), 0);
  const inUse = sum((pool) => pool.inUse);
  const flush = [
    `Every pool on it is flushed: ${domains.join(", ")}.${pools ? ` ${count(sum((pool) => pool.size))} connections are closed and opened with the new settings.` : ""}`,
    pools
      ? `${count(inUse)} of them in use ${inUse === 1 ? "is" : "are"} replaced when released; no work is cut.`
      : "Those in use are replaced when released; no work is cut.",
  ];
  const cut = [
    ...(open === undefined
      ? []
      : [`${count(open)} connections are open: ${count(Math.max(0, open - (budget ?? 0)))} must close.`]),
    "Idle ones close now, those in use when they are released. No work is cut.",
    "Until then no domain on it gets a new connection.",
  ];
  const untold = (flushes && !pools) || (cuts && open === undefined);
  const lower = `the budget of ${name} to ${count(budget)}`;
  return {
    title: flushes ? `Change ${name} and flush its pools?` : `Lower ${lower}?`,
    lines: [...(flushes ? flush : []), ...(cuts ? cut : []), ...(untold ? [UNTOLD] : [])],
    streamed: true,
    undo: flushes ? "Saving the former settings takes it back, with another flush." : "A larger budget takes it back.",
    action: flushes ? "Change and flush" : `Lower it to ${count(budget)}`,
  };
}
