import type { Credential } from "@/api/session";

/**
 * The code of `/?code=...`, or the token of `/?token=...`, taken out of the address (and the history) before anything else
 * happens. Headgate prints addresses with codes; an address with a token is somebody's own doing.
 */
export function takeCredential(location: Location, history: History): Credential | null {
  const url = new URL(location.href);
  const code = url.searchParams.get("code");
  const token = url.searchParams.get("token");
  if (code === null && token === null) return null;
  url.searchParams.delete("code");
  url.searchParams.delete("token");
  history.replaceState(history.state, "", `${url.pathname}${url.search}${url.hash}`);
  return code !== null ? { code } : { token: token as string };
}
