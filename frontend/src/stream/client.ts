/**
 * Holds one WebSocket to the service and detects gaps and silence. States:
 *
 *   connecting -> (snapshot) -> live -> (closed, or silent for SILENCE_MS) -> lost -> (backoff) -> connecting ...
 *
 * Every frame except hello carries a seq that grows by one. A seq that is too high means that frames were missed: the
 * client subscribes again and applies no delta until the new snapshot arrives. A frame with a seq that is too low is
 * dropped. Clock, randomness and sockets are handed in. Nothing here knows React or the DOM.
 */
import { DataClock } from "./dataClock";
import { type Frame, parseFrame } from "./schemas";

export interface Socket {
  send(text: string): void;
  close(code?: number): void;
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: ((closed: { code: number }) => void) | null;
  onerror: (() => void) | null;
}

export interface Clock {
  now(): number;
  after(ms: number, run: () => void): () => void;
}

export type Status = "connecting" | "live" | "lost" | "unauthenticated";
export type Subscription = {
  /** Those that are wanted in full. */
  domains: readonly string[];
  rateHz: number;
  connections: readonly string[];
  /** Those of which only the seconds and the history are wanted. */
  seconds?: readonly string[];
  /** Those whose events are wanted; left out: those of `domains`. */
  events?: readonly string[];
  /** What is wanted of every domain. */
  summary?: "health" | "figures";
};

export interface StreamListener {
  onFrame(frame: Frame): void;
  onStatus(status: Status): void;
  /** Called when a socket closes before it opened: the service is down, or the session has ended. */
  onHandshakeRefused?(): void;
}

/** In ms. The service sends at least a bookmark every 5 s. */
export const SILENCE_MS = 7_000;
const FIRST_RETRY_MS = 250;
/** A page that waits for a service to start again is to be complete within 3 s once it has, also where the service is busy with its start. */
const LAST_RETRY_MS = 1_000;

export class StreamClient {
  readonly data = new DataClock();
  #socket: Socket | null = null;
  #status: Status = "connecting";
  #expected: number | null = null;
  #epoch: string | null = null;
  #attempt = 0;
  #resubscribed = 0;
  #cancelSilence: () => void = () => {};
  #cancelRetry: () => void = () => {};
  #stopped = true;
  #opened = false;
  #subscription: Subscription | null = null;
  #sent: Subscription | null = null;

  constructor(
    private readonly connect: () => Socket,
    private readonly clock: Clock,
    private readonly random: () => number,
    private readonly listener: StreamListener,
  ) {}

  get status(): Status {
    return this.#status;
  }

  /** How often the client subscribed again after a gap, since its start. */
  get resubscriptions(): number {
    return this.#resubscribed;
  }

  start(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#attempt = 0;
    this.#open();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry();
    this.#drop();
  }

  /**
   * Connects at once instead of waiting for the backoff. Called when the network is back or the page is visible again.
   */
  retryNow(): void {
    if (this.#stopped || this.#socket) return;
    this.#cancelRetry();
    this.#open();
  }

  /** Says what is wanted. Until it is called the socket only opens, so that a page that is still being drawn gets one snapshot, not two. */
  subscribe(subscription: Subscription): void {
    const isFirst = this.#subscription === null;
    this.#subscription = subscription;
    if (this.#status === "live" || (isFirst && this.#opened)) this.#sendSubscribe();
  }

  /** Asks for a new snapshot, for instance after the list of domains changed. */
  resubscribe(): void {
    if (this.#status === "live") this.#sendSubscribe();
  }

  #open(): void {
    this.#cancelRetry();
    this.#expected = null;
    this.#opened = false;
    const socket = this.connect();
    this.#socket = socket;
    this.#listenForSilence();
    socket.onopen = () => {
      this.#opened = true;
      this.#sendSubscribe();
    };
    socket.onmessage = ({ data }) => this.#receive(socket, data);
    socket.onerror = () => {};
    socket.onclose = ({ code }) => {
      if (this.#socket !== socket) return;
      this.#lost(code, this.#opened);
    };
  }

  #receive(socket: Socket, data: unknown): void {
    if (this.#socket !== socket) return;
    let frame: Frame | null;
    try {
      frame = parseFrame(String(data));
    } catch (error) {
      console.error("a stream frame could not be read", error);
      this.#gap();
      return;
    }
    this.#listenForSilence();
    if (frame === null) return;
    const received = this.clock.now();
    if (frame.type === "hello") {
      if (frame.epoch !== this.#epoch) this.data.reset();
      this.#epoch = frame.epoch;
      this.listener.onFrame(frame);
      return;
    }
    if (frame.type === "snapshot") {
      this.#expected = frame.seq + 1;
      this.#attempt = 0;
      this.data.frame(Date.parse(frame.time), received);
      this.listener.onFrame(frame);
      this.#become("live");
      // the subscription changed while this snapshot was on its way
      if (this.#sent !== this.#subscription) this.#sendSubscribe();
      return;
    }
    if (this.#expected === null) {
      // While waiting for a snapshot, deltas cannot be applied, but events are never lost.
      if (frame.type === "event") this.listener.onFrame(frame);
      return;
    }
    if (frame.seq < this.#expected) return;
    if (frame.seq > this.#expected) {
      if (frame.type === "event") this.listener.onFrame(frame);
      this.#gap();
      return;
    }
    this.#expected++;
    if (frame.type !== "event") this.data.frame(Date.parse(frame.time), received);
    this.listener.onFrame(frame);
  }

  #gap(): void {
    if (this.#expected === null) return;
    this.#expected = null;
    this.#resubscribed++;
    this.#sendSubscribe();
  }

  #sendSubscribe(): void {
    if (this.#subscription === null) return;
    try {
      this.#socket?.send(JSON.stringify({ type: "subscribe", ...this.#subscription }));
      this.#sent = this.#subscription;
    } catch {
      // The socket is closing. Its close event reconnects.
    }
  }

  #listenForSilence(): void {
    this.#cancelSilence();
    this.#cancelSilence = this.clock.after(SILENCE_MS, () => {
      this.#drop();
      this.#lost(4000, true);
    });
  }

  #drop(): void {
    this.#cancelSilence();
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #lost(code: number, opened: boolean): void {
    this.#cancelSilence();
    this.#socket = null;
    this.#expected = null;
    if (this.#stopped) return;
    if (code === 4401) {
      this.#stopped = true;
      this.#become("unauthenticated");
      return;
    }
    this.#become("lost");
    if (!opened) this.listener.onHandshakeRefused?.();
    const longest = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#attempt++);
    this.#cancelRetry = this.clock.after(longest * (0.5 + this.random() / 2), () => this.#open());
  }

  #become(status: Status): void {
    if (this.#status === status) return;
    this.#status = status;
    this.listener.onStatus(status);
  }
}
