import { beforeEach, expect, it, vi } from "vitest";
import { FakeClock } from "./fixtures";
import { withNextFrame } from "./nextFrame";

let clock: FakeClock;
let frames: Set<() => void>;
let hidden: boolean;
const run = vi.fn();

beforeEach(() => {
  [clock, frames, hidden] = [new FakeClock(), new Set(), false];
  run.mockClear();
});

const wait = () =>
  withNextFrame(
    {
      isHidden: () => hidden,
      frame: (draw) => {
        frames.add(draw);
        return () => frames.delete(draw);
      },
      after: (ms, late) => clock.after(ms, late),
    },
    run,
  );

it("waits for the next frame, and runs once", () => {
  wait();
  expect(run).not.toHaveBeenCalled();
  for (const draw of frames) draw();
  clock.advance(10_000);
  expect(run).toHaveBeenCalledOnce();
});

it("does not wait for a frame that a hidden page never draws", () => {
  hidden = true;
  wait();
  expect(run).toHaveBeenCalledOnce();
});

it("waits no longer than a second, and not for the frame after that", () => {
  wait();
  clock.advance(999);
  expect(run).not.toHaveBeenCalled();
  clock.advance(1);
  expect(run).toHaveBeenCalledOnce();
  expect(frames.size).toBe(0);
});
