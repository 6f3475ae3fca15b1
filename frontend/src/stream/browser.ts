/** The page's one stream: the client and the store with a real socket, clock and animation frames. */
import { StreamClient } from "./client";
import { LiveStore } from "./live";
import { sameSubscription, Wants } from "./wants";

export const live = new LiveStore((run, ms) => {
  setTimeout(() => requestAnimationFrame(run), ms);
});

export type FreshnessLevel = "waiting" | "live" | "late" | "lost";

/** What the components on the page want of the stream. */
export const wants = new Wants(resubscribe);
const handshakeListeners = new Set<() => void>();

/** The browser's time, which no correction of its clock moves: a step would count as age of the data. */
const now = () => performance.timeOrigin + performance.now();

export const stream = new StreamClient(
  () => new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/stream`) as never,
  {
    now,
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
  wants.subscription(),
);

live.onEvent((event) => {
  if (event.event === "domains") stream.resubscribe();
});

export function onHandshakeRefused(listener: () => void): () => void {
  handshakeListeners.add(listener);
  return () => handshakeListeners.delete(listener);
}

let pending: ReturnType<typeof setTimeout> | undefined;
let asked = wants.subscription();

/** Once for all that changes at the same time, as when one page takes the place of another. */
function resubscribe(): void {
  clearTimeout(pending);
  pending = setTimeout(() => {
    const next = wants.subscription();
    if (sameSubscription(asked, next)) return;
    asked = next;
    stream.subscribe(next);
  }, 0);
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

export const serverNow = () => stream.data.serverTime(now());

export function freshness(): { level: FreshnessLevel; ageMs: number } {
  const ageMs = stream.data.age(now());
  if (!live.hasSnapshot) return { level: stream.status === "lost" ? "lost" : "waiting", ageMs };
  if (stream.status !== "live") return { level: "lost", ageMs };
  // The summary comes once a second, whatever there is.
  return { level: ageMs > 2_500 ? "late" : "live", ageMs };
}
