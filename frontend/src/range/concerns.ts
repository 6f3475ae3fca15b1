/** What an alarm or an annotation is about. */
export type Place = { domain: string | null; database: string | null; domains?: readonly string[] };

/** Whether it concerns a domain, as the service tells when it is asked for those of one. An alarm of the service may concern some only. */
export function concerns(place: Place, domain: string, database: string | undefined): boolean {
  if (place.domain !== null) return place.domain === domain;
  if (place.database !== null) return place.database === database;
  return !place.domains?.length || place.domains.includes(domain);
}
