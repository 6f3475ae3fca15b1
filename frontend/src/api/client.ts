import createClient from "openapi-fetch";
import { ChangeUnanswered, Problem } from "./problem";
import type { paths } from "./schema";

/** Sends a request that only reads; also a POST, if it is told to. `fetch` is looked up at each call, so that tests can replace it. */
export const reading = (request: Request) => globalThis.fetch(request);

/** Sends a request. Of a change that gets no answer nobody knows whether it was made. */
async function sending(request: Request): Promise<Response> {
  try {
    return await reading(request);
  } catch (error) {
    throw error instanceof TypeError && request.method !== "GET" ? new ChangeUnanswered() : error;
  }
}

export const client = createClient<paths>({
  baseUrl: globalThis.location?.origin ?? "http://localhost",
  credentials: "same-origin",
  // No cache: an ETag names a revision, and the owner of a set can change without a new revision.
  cache: "no-store",
  fetch: sending,
});

type Answered<T> = { data?: T; error?: unknown; response: Response };

const unauthenticatedListeners = new Set<() => void>();

/** Called when the service answers 401: the session has ended. */
export function onUnauthenticated(listener: () => void): () => void {
  unauthenticatedListeners.add(listener);
  return () => unauthenticatedListeners.delete(listener);
}

/** Returns the data of an answer, or throws a Problem. */
export async function answer<T>(call: Promise<Answered<T>>): Promise<T> {
  return (await answerWithEtag(call)).data;
}

/** As `answer`, with the revision from the ETag. For policy sets. */
export async function answerWithEtag<T>(call: Promise<Answered<T>>): Promise<{ data: T; etag: string | null }> {
  const { data, error, response } = await call;
  if (!response.ok) {
    if (response.status === 401) for (const listener of unauthenticatedListeners) listener();
    throw new Problem(error && typeof error === "object" ? error : {}, response.status);
  }
  return { data: data as T, etag: response.headers.get("etag") };
}
