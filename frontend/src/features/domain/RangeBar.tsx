import { type ComponentProps, useState } from "react";
import { crosshair } from "@/charts/crosshair";
import { RangePicker, useKeys } from "@/range/RangePicker";
import { eventsOf, spanOf } from "@/range/range";
import { serverNow } from "@/stream/browser";
import { Changes, useMayChange } from "@/ui/role";
import { Annotate } from "./Annotate";
import { Compare } from "./Compare";
import { ExportMenu } from "./ExportMenu";

type Props = { domain: string } & Omit<ComponentProps<typeof RangePicker>, "about" | "compare" | "children"> &
  Omit<ComponentProps<typeof Compare>, "scope">;

const ABOUT = "Annotate marks a deploy, a failover or a note on the charts. Key a on a chart, at the crosshair.";

/** Chooses what time the charts of a domain show, marks moments of it, and saves it. */
export function RangeBar({ domain, range, compare, onCompare, ...picker }: Props) {
  const mayChange = useMayChange();
  const [marked, setMarked] = useState<number | null>(null);
  const mark = (time: number | null) => setMarked(time ?? spanOf(range, serverNow()).to);
  useKeys((key, onChart) => {
    if (key === "a" && onChart && mayChange) mark(crosshair.time);
  });
  return (
    <RangePicker
      {...picker}
      range={range}
      about={ABOUT}
      compare={
        <Compare scope={{ kind: "domain", name: domain }} range={range} compare={compare} onCompare={onCompare} />
      }
    >
      <Changes>
        <button type="button" className="btn" onClick={() => mark(null)}>
          Annotate
        </button>
        <Annotate domain={domain} at={marked} past={eventsOf(range)} onClose={() => setMarked(null)} />
      </Changes>
      <ExportMenu domain={domain} range={range} />
    </RangePicker>
  );
}
