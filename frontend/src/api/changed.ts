/** The body of a PATCH: only the fields that differ. */
export function changed<T extends Record<string, unknown>>(body: T, before: object): Partial<T> {
  const old = before as Record<string, unknown>;
  return Object.fromEntries(Object.entries(body).filter(([key, value]) => old[key] !== value)) as Partial<T>;
}
