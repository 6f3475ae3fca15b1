/** The paging that all lists of the API share: a page ends with the cursor of the next one, or null. */
export type Page<T> = { items: T[]; nextCursor: string | null };

/** The most entries that the service puts on a page. */
const MOST = 500;

/** Of what happened in a range, at most so many are read: the newest. */
export const NEWEST = 100;

/** Every entry of a list, page by page. `read` asks for one page. */
export async function everything<T>(
  read: (query: { limit: number; cursor?: string }) => Promise<{ items: unknown[]; nextCursor?: string | null }>,
): Promise<T[]> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: MOST, cursor });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items as T[];
}
