/** A time that everybody reads alike until its next turn, so that no two ages on a page contradict each other. */
export interface Steady {
  now(): number;
  subscribe(listener: () => void): () => void;
}

/** Turns every `everyMs` while somebody listens. Otherwise it is as old as that at most. */
export function steady(read: () => number, everyMs: number): Steady {
  const listeners = new Set<() => void>();
  let time = Number.NaN;
  let timer: ReturnType<typeof setInterval> | undefined;

  function turn(): void {
    time = read();
    for (const listener of listeners) listener();
  }

  return {
    now() {
      if (timer === undefined) {
        const present = read();
        if (!(present - time < everyMs)) time = present;
      }
      return time;
    },
    subscribe(listener) {
      listeners.add(listener);
      timer ??= setInterval(turn, everyMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
