import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { slowed } from "./pace";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A sender of so many chunks, and how many of them were taken. */
function sender(chunks: number, size: number) {
  const sent = { chunks: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(to) {
        if (sent.chunks === chunks) return to.close();
        to.enqueue(new Uint8Array(size).fill(++sent.chunks));
      },
      cancel() {
        sent.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { sent, body };
}

it("hands on all bytes in their order, no faster than it may", async () => {
  const { body } = sender(4, 50_000);
  const began = performance.now();
  const whole = new Response(slowed(body, 100_000, new AbortController().signal)).arrayBuffer();
  await vi.advanceTimersByTimeAsync(1_500);
  let there = false;
  void whole.then(() => {
    there = true;
  });
  await vi.advanceTimersByTimeAsync(100);
  expect(there).toBe(false); // 2 s, less what may be made up for
  await vi.advanceTimersByTimeAsync(1_000);
  const bytes = new Uint8Array(await whole);
  expect(bytes).toHaveLength(200_000);
  expect([0, 49_999, 50_000, 199_999].map((at) => bytes[at])).toEqual([1, 1, 2, 4]);
  expect(performance.now() - began).toBeLessThan(3_000);
});

it("takes nothing from the sender before it is due, and stops when the request is aborted", async () => {
  const { body, sent } = sender(100, 16 * 1024);
  const abort = new AbortController();
  const reader = slowed(body, 16 * 1024, abort.signal).getReader();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent.chunks).toBe(0);
  const first = reader.read();
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await first).value).toHaveLength(16 * 1024);
  expect(sent.chunks).toBe(1);
  const second = reader.read();
  const failed = expect(second).rejects.toThrow("abort");
  abort.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  await failed;
});
