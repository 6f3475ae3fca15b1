/** The page's one stream: the client and the store with a real socket, clock and animation frames. */
import { type Status, StreamClient, type Subscription } from "./client";
import { type FreshnessLevel, levelOf } from "./freshness";
import { LiveStore } from "./live";
import { type Screen, withNextFrame } from "./nextFrame";
import { sameSubscription, Wants } from "./wants";

const screen: Screen = {
  isHidden: () => document.hidden,
  frame: (run) => {
    const frame = requestAnimationFrame(run);
    return () => cancelAnimationFrame(frame);
  },
  after,
};

export const live = new LiveStore((run, ms) => {
  let forget = after(ms, () => {
    forget = withNextFrame(screen, run);
  });
  return () => forget();
});

/** What the components on the page want of the stream. */
export const wants = new Wants(resubscribe);
const statusListeners = new Set<(status: Status) => void>();
const handshakeListeners = new Set<() => void>();

/** The browser's time, which no correction of its clock moves: a step would count as age of the data. */
const now = () => performance.timeOrigin + performance.now();

export const stream = new StreamClient(
  () => new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/stream`) as never,
  {
    now,
    after,
  },
  Math.random,
  {
    onFrame: (frame) => live.apply(frame),
    onStatus: (status) => {
      live.changed();
      for (const listener of statusListeners) listener(status);
    },
    onHandshakeRefused: () => {
      for (const listener of handshakeListeners) listener();
    },
  },
);

live.onEvent((event) => {
  if (event.event === "domains") stream.resubscribe();
});

/** Tells every change, also those that the page has no time to show. */
export function onStatus(listener: (status: Status) => void): () => void {
  statusListeners.add(listener);
  return () => statusListeners.delete(listener);
}

export function onHandshakeRefused(listener: () => void): () => void {
  handshakeListeners.add(listener);
  return () => handshakeListeners.delete(listener);
}

let pending: ReturnType<typeof setTimeout> | undefined;
let asked: Subscription | null = null;

/** Subscribes to what is wanted: once for all that changes at the same time, as when one page takes the place of another. */
export function resubscribe(): void {
  clearTimeout(pending);
  pending = setTimeout(() => {
    const next = wants.subscription();
    if (asked && sameSubscription(asked, next)) return;
    asked = next;
    stream.subscribe(next);
  }, 0);
}

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
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
  return { level: levelOf({ hasSnapshot: live.hasSnapshot, status: stream.status, ageMs }), ageMs };
}
