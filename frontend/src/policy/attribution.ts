/** Whose policy it was: the service writes "database/" before the plugins of the database's own set. */
const PREFIX = "database/";

export const ofDatabase = (policy: string): boolean => policy.startsWith(PREFIX);

/** The plugin alone, without whose set it stands in. */
export const pluginOf = (policy: string): string => (ofDatabase(policy) ? policy.slice(PREFIX.length) : policy);

/** "latency-cap" for the domain's own, "latency-cap of main" for one in the set of database main. */
export function policyName(policy: string, database?: string | null): string {
  return ofDatabase(policy) ? `${pluginOf(policy)} of ${database ?? "the database"}` : policy;
}
