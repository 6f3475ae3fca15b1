/** The token of `/?token=...`, taken out of the address (and the history) before anything else happens. */
export function takeToken(location: Location, history: History): string | null {
  const url = new URL(location.href);
  const token = url.searchParams.get("token");
  if (token === null) return null;
  url.searchParams.delete("token");
  history.replaceState(history.state, "", `${url.pathname}${url.search}${url.hash}`);
  return token;
}
