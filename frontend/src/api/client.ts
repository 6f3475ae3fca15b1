import createClient from "openapi-fetch";
import { Problem } from "./problem";
import type { paths } from "./schema";

/** `fetch` is looked up per call, so that tests can put their own in place. */
export const client = createClient<paths>({
  baseUrl: globalThis.location?.origin ?? "http://localhost",
  credentials: "same-origin",
  // What is shown is what is: an ETag names a revision, and its owner may change without one.
  cache: "no-store",
  fetch: (request: Request) => globalThis.fetch(request),
});

type Answered<T> = { data?: T; error?: unknown; response: Response };

const unauthenticatedListeners = new Set<() => void>();

/** Called whenever the service no longer knows who we are. */
export function onUnauthenticated(listener: () => void): () => void {
  unauthenticatedListeners.add(listener);
  return () => unauthenticatedListeners.delete(listener);
}

/** Unwraps an answer: its data, or a thrown Problem. */
export async function answer<T>(call: Promise<Answered<T>>): Promise<T> {
  return (await answerWithEtag(call)).data;
}

/** As `answer`, with the revision that the ETag names (policy sets). */
export async function answerWithEtag<T>(call: Promise<Answered<T>>): Promise<{ data: T; etag: string | null }> {
  const { data, error, response } = await call;
  if (!response.ok) {
    if (response.status === 401) for (const listener of unauthenticatedListeners) listener();
    throw new Problem(error && typeof error === "object" ? error : {}, response.status);
  }
  return { data: data as T, etag: response.headers.get("etag") };
}
