import { serverNow } from "@/stream/browser";
import { useZone } from "@/ui/preferences";
import { type Range, said, spanOf } from "./range";

/** Stands in place of charts that would be empty. @param within: in a panel that is there already */
export function NothingKept({ of, range, within = false }: { of: string; range: Range; within?: boolean }) {
  const zone = useZone();
  return (
    <p className={within ? "empty" : "panel empty"} role="status">
      Nothing is kept of {of} for {said(spanOf(range, serverNow()), zone)}.
    </p>
  );
}
