import { beforeEach, describe, expect, it, vi } from "vitest";
import { SILENCE_MS, type Status, StreamClient } from "./client";
import { bookmark, delta, FakeClock, FakeSocket, hello, policyEvent, snapshot } from "./fixtures";
import type { Frame } from "./schemas";

let sockets: FakeSocket[];
let clock: FakeClock;
let frames: Frame[];
let statuses: Status[];
let refused: number;
let client: StreamClient;
const socket = () => sockets.at(-1) as FakeSocket;
const types = () => frames.map((f) => f.type);

beforeEach(() => {
  sockets = [];
  frames = [];
  statuses = [];
  refused = 0;
  clock = new FakeClock();
  client = new StreamClient(
    () => {
      sockets.push(new FakeSocket());
      return socket();
    },
    clock,
    () => 1,
    {
      onFrame: (frame) => frames.push(frame),
      onStatus: (status) => statuses.push(status),
      onHandshakeRefused: () => refused++,
    },
  );
  client.subscribe(ALL);
  client.start();
});

function goLive(): void {
  socket().open();
  socket().say(hello());
  socket().say(snapshot(1));
}

const ALL = { domains: ["*"], rateHz: 4, connections: [] };

describe("stream client", () => {
  it("subscribes when the socket opens and is live with the first snapshot", () => {
    socket().open();
    expect(socket().sent).toEqual([{ type: "subscribe", domains: ["*"], rateHz: 4, connections: [] }]);
    socket().say(hello());
    expect(client.status).toBe("connecting");
    socket().say(snapshot(1));
    socket().say(delta(2));
    expect(client.status).toBe("live");
    expect(types()).toEqual(["hello", "snapshot", "delta"]);
  });

  it("opens before anybody says what is wanted, and asks for one snapshot of it then", () => {
    client.stop();
    const early = new StreamClient(
      () => {
        sockets.push(new FakeSocket());
        return socket();
      },
      clock,
      () => 1,
      { onFrame: (frame) => frames.push(frame), onStatus: (status) => statuses.push(status) },
    );
    early.start();
    socket().open();
    socket().say(hello());
    expect(socket().sent).toEqual([]);
    early.subscribe(ALL);
    socket().say(snapshot(1));
    expect(socket().sent).toHaveLength(1);
    expect(early.status).toBe("live");
  });

  it("asks for what was wanted while the first snapshot was on its way, once it is there", () => {
    socket().open();
    client.subscribe({ domains: ["*"], rateHz: 4, connections: ["bank"] });
    socket().say(hello());
    socket().say(snapshot(1));
    expect(socket().sent.at(-1)).toEqual({ type: "subscribe", domains: ["*"], rateHz: 4, connections: ["bank"] });
    socket().say(snapshot(2));
    expect(socket().sent).toHaveLength(2);
  });

  it("subscribes again after a gap, and applies no delta until the new snapshot", () => {
    goLive();
    socket().say(delta(4));
    socket().say(delta(5));
    expect(types()).toEqual(["hello", "snapshot"]);
    expect(socket().sent).toHaveLength(2);
    expect(client.resubscriptions).toBe(1);
    socket().say(snapshot(6));
    socket().say(delta(7));
    expect(types()).toEqual(["hello", "snapshot", "snapshot", "delta"]);
    expect(sockets).toHaveLength(1);
  });

  it("never loses an event, not even the one that shows the gap or those before the new snapshot", () => {
    goLive();
    socket().say(policyEvent(5, 9));
    socket().say(policyEvent(6, 10));
    expect(types()).toEqual(["hello", "snapshot", "event", "event"]);
  });

  it("drops what comes from the past", () => {
    goLive();
    socket().say(delta(2));
    socket().say(delta(2));
    socket().say(delta(1));
    socket().say(delta(3));
    expect(types()).toEqual(["hello", "snapshot", "delta", "delta"]);
    expect(client.resubscriptions).toBe(0);
  });

  it("takes a frame that cannot be read for a gap, and passes over a type it does not know", () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    goLive();
    socket().say({ type: "something-new", seq: 2 });
    expect(client.resubscriptions).toBe(0);
    socket().say("{");
    expect(client.resubscriptions).toBe(1);
  });

  it("reconnects with growing, bounded pauses, and starts over once it was live", () => {
    goLive();
    socket().die();
    expect(client.status).toBe("lost");
    const pauses = [250, 500, 1000, 1000, 1000, 1000]; // a service that has started again is found within 1 s
    for (const pause of pauses) {
      const before = sockets.length;
      clock.advance(pause - 1);
      expect(sockets).toHaveLength(before);
      clock.advance(1);
      expect(sockets).toHaveLength(before + 1);
      socket().die();
    }
    expect(refused).toBe(pauses.length);
    clock.advance(4_000);
    goLive();
    expect(client.status).toBe("live");
    socket().die();
    clock.advance(250);
    expect(socket().closed).toBe(false);
    expect(statuses).toEqual(["live", "lost", "live", "lost"]);
  });

  it("spreads the pauses, so that a thousand pages do not come back at once", () => {
    const spread = new StreamClient(
      () => {
        sockets.push(new FakeSocket());
        return socket();
      },
      clock,
      () => 0,
      { onFrame() {}, onStatus() {} },
    );
    spread.start();
    const before = sockets.length;
    socket().die();
    clock.advance(125);
    expect(sockets).toHaveLength(before + 1);
    spread.stop();
  });

  it("takes silence for a loss, even when the socket says nothing", () => {
    goLive();
    clock.advance(SILENCE_MS - 1);
    socket().say(bookmark(2));
    clock.advance(SILENCE_MS - 1);
    expect(client.status).toBe("live");
    const silent = socket();
    clock.advance(1);
    expect(client.status).toBe("lost");
    expect(silent.closed).toBe(true);
    silent.say(delta(3));
    expect(types()).not.toContain("delta");
    clock.advance(250);
    expect(socket()).not.toBe(silent);
  });

  it("tries at once when told that the network is back", () => {
    goLive();
    socket().die();
    client.retryNow();
    expect(sockets).toHaveLength(2);
    clock.advance(10_000 - SILENCE_MS);
    expect(sockets).toHaveLength(2);
  });

  it("stops when it is not known any more, and after stop", () => {
    goLive();
    socket().die(4401);
    clock.advance(60_000);
    expect(client.status).toBe("unauthenticated");
    expect(sockets).toHaveLength(1);
    client.start();
    expect(sockets).toHaveLength(2);
    client.stop();
    clock.advance(60_000);
    expect(sockets).toHaveLength(2);
  });

  it("asks for other connections on the same socket", () => {
    goLive();
    client.subscribe({ domains: ["*"], rateHz: 4, connections: ["bank"] });
    expect(socket().sent.at(-1)?.connections).toEqual(["bank"]);
    expect(sockets).toHaveLength(1);
  });

  it("knows how old the data is by the server's clock, whatever ours says", () => {
    goLive();
    clock.advance(250);
    socket().say(delta(2, 250));
    expect(client.data.age(clock.now())).toBeCloseTo(0, 0);
    clock.advance(1_500);
    expect(client.data.age(clock.now())).toBeCloseTo(1_500, -1);
    socket().say(delta(3, 500));
    expect(client.data.age(clock.now())).toBeGreaterThan(1_200);
  });

  it("knows how old the data is after the server's clock was set back", () => {
    goLive();
    clock.advance(250);
    socket().say(delta(2, 250));
    clock.advance(250);
    socket().say(delta(3, -3_600_000));
    expect(client.data.age(clock.now())).toBeCloseTo(0, 0);
    clock.advance(1_500);
    expect(client.data.age(clock.now())).toBeCloseTo(1_500, -1);
  });
});
