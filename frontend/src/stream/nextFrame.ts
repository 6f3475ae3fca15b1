/** When the page is told of new data: with its next frame, so that nothing is drawn twice. */

/** What a browser's window offers of it. Each answer takes the request back. */
export interface Screen {
  isHidden(): boolean;
  frame(run: () => void): () => void;
  after(ms: number, run: () => void): () => void;
}

/** A window that is covered by others may draw nothing although it is not hidden. */
const LONGEST_MS = 1_000;

const NOTHING = () => undefined;

/**
 * A hidden page draws no frame: it is told at once, because its title and its icon are still seen.
 *
 * @returns takes the request back
 */
export function withNextFrame(screen: Screen, run: () => void): () => void {
  if (screen.isHidden()) {
    run();
    return NOTHING;
  }
  const forget = () => {
    forgetFrame();
    forgetTimer();
  };
  const once = () => {
    forget();
    run();
  };
  const forgetFrame = screen.frame(once);
  const forgetTimer = screen.after(LONGEST_MS, once);
  return forget;
}
