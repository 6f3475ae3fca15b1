/** Bytes that are handed on at once, so that a large chunk is read slowly, too. */
const PIECE = 16 * 1024;

/** A timer that rang late is made up for, by so much at most. */
const MOST_LATE_MS = 100;

/** The same bytes, at most so many a second. What is not asked for stays with the sender. */
export function slowed(
  body: ReadableStream<Uint8Array>,
  bytesPerSecond: number,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let rest = new Uint8Array(0);
  let due = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(to) {
        if (rest.length === 0) {
          const { done, value } = await reader.read();
          if (done) return to.close();
          rest = new Uint8Array(value);
        }
        const piece = rest.subarray(0, PIECE);
        rest = rest.subarray(PIECE);
        due = Math.max(due, performance.now() - MOST_LATE_MS) + (piece.length / bytesPerSecond) * 1000;
        await new Promise((passed) => setTimeout(passed, due - performance.now()));
        signal.throwIfAborted();
        to.enqueue(piece);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
