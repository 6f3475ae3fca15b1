/** The page's one stream: the client and the store with a real socket, clock and animation frames. */
import { StreamClient, type Subscription } from "./client";
import { LiveStore } from "./live";

export const live = new LiveStore((run, ms) => {
  setTimeout(() => requestAnimationFrame(run), ms);
});

export type FreshnessLevel = "waiting" | "live" | "late" | "lost";

const EVERYTHING: Subscription = { domains: ["*"], rateHz: 4, connections: [] };
const wanted = new Map<string, number>();
const handshakeListeners = new Set<() => void>();

export const stream = new StreamClient(
  () => new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/stream`) as never,
  {
    now: () => Date.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  },
  Math.random,
  {
    onFrame: (frame) => live.apply(frame),
    onStatus: () => live.changed(),
    onHandshakeRefused: () => {
      for (const listener of handshakeListeners) listener();
    },
  },
  EVERYTHING,
);

live.onEvent((event) => {
  if (event.event === "domains") stream.resubscribe();
});

export function onHandshakeRefused(listener: () => void): () => void {
  handshakeListeners.add(listener);
  return () => handshakeListeners.delete(listener);
}

/** Streams this domain's per-connection columns until the returned function is called. */
export function wantConnections(domain: string): () => void {
  wanted.set(domain, (wanted.get(domain) ?? 0) + 1);
  resubscribe();
  return () => {
    const left = (wanted.get(domain) ?? 1) - 1;
    if (left > 0) wanted.set(domain, left);
    else wanted.delete(domain);
    resubscribe();
  };
}

let pending: ReturnType<typeof setTimeout> | undefined;
function resubscribe(): void {
  clearTimeout(pending);
  pending = setTimeout(() => stream.subscribe({ ...EVERYTHING, connections: [...wanted.keys()] }), 0);
}

export function startStream(): () => void {
  const wake = () => {
    if (document.visibilityState === "visible") stream.retryNow();
  };
  window.addEventListener("online", wake);
  document.addEventListener("visibilitychange", wake);
  stream.start();
  return () => {
    window.removeEventListener("online", wake);
    document.removeEventListener("visibilitychange", wake);
    stream.stop();
  };
}

export const serverNow = () => stream.data.serverTime(Date.now());

export function freshness(): { level: FreshnessLevel; ageMs: number } {
  const ageMs = stream.data.age(Date.now());
  if (!live.hasSnapshot) return { level: stream.status === "lost" ? "lost" : "waiting", ageMs };
  if (stream.status !== "live") return { level: "lost", ageMs };
  // Without domains the service sends only a bookmark every 5 s.
  return { level: ageMs > (live.pools().length > 0 ? 2_000 : 6_000) ? "late" : "live", ageMs };
}
