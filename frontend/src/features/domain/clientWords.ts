import { Problem, sentence } from "@/api/problem";
import type { Domain, WireClient, WireEndpoint } from "@/api/types";

export const connectedOf = (clients: readonly WireClient[]): number =>
  clients.reduce((sum, client) => sum + client.connected, 0);

/** A summary of the wire settings for the panel's head: "transaction mode, 3 of 1,000 connected". */
export function servedAs(wire: Domain["wire"], clients: readonly WireClient[]): string {
  const connected = connectedOf(clients);
  const refusing = wire.sessionState === "refuse" && wire.mode !== "session" ? ", session state refused" : "";
  return `${wire.mode} mode${refusing}, ${connected.toLocaleString("en-US")} of ${wire.maxClients.toLocaleString("en-US")} connected`;
}

/** The connection URL without user and password. */
export function address({ host, port, database }: Pick<WireEndpoint, "host" | "port" | "database">): string {
  return `postgresql://${host.includes(":") ? `[${host}]` : host}:${port}/${database}`;
}

/** A psql command line that connects, as the service gives it with a new client. psql asks for the password. */
export function psqlLine({ host, port, database }: Pick<WireEndpoint, "host" | "port" | "database">, user: string) {
  return `psql -h ${host} -p ${port} -U ${user} -d ${database}`;
}

/** The fault of the requested name in the service's words; undefined if the error is about something else. */
export function nameFault(error: unknown): string | undefined {
  if (!(error instanceof Problem)) return undefined;
  return error.at("/name") ?? (error.kind === "conflict" ? sentence(error) : undefined);
}
