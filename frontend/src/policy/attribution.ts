/** Names a policy's owner. The service writes "database/" before the plugins of a database's set. */
const PREFIX = "database/";

export const ofDatabase = (policy: string): boolean => policy.startsWith(PREFIX);

/** The plugin's name without the prefix of its set. */
export const pluginOf = (policy: string): string => (ofDatabase(policy) ? policy.slice(PREFIX.length) : policy);

/** "latency-cap" for a policy of the domain, "latency-cap of main" for one of the database main. */
export function policyName(policy: string, database?: string | null): string {
  return ofDatabase(policy) ? `${pluginOf(policy)} of ${database ?? "the database"}` : policy;
}

/** A policy as the answers name it: of a domain's set, or of a database's. */
export const answersAs = (plugin: string, owner: "domain" | "database"): string =>
  owner === "database" ? PREFIX + plugin : plugin;
