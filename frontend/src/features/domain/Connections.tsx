import { useComputedColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { connectionHistoryQuery } from "@/api/domains";
import { live } from "@/stream/browser";
import type { HeatMeasure } from "@/stream/heat";
import { useWant } from "@/stream/hooks";
import { Panel, Seg } from "@/ui/parts";
import { ConnectionTable } from "./ConnectionTable";
import { Heatmap } from "./Heatmap";
import { heatSeconds } from "./heatCells";
import { lengthOf, type Range } from "./range";

const SAID: Record<HeatMeasure, string> = {
  p99: "p99 per second",
  mean: "mean per second",
  busy: "share of each second spent in requests",
};

/** Every physical connection: a heatmap row of its last minutes, and its state now. */
export function Connections({ domain, range }: { domain: string; range: Range }) {
  const [measure, setMeasure] = useState<HeatMeasure>("p99");
  const scheme = useComputedColorScheme("light");
  useWant(useMemo(() => ({ connections: [domain] }), [domain]));
  const history = useQuery(connectionHistoryQuery(domain)).data;
  useEffect(() => {
    if (history) live.heat(domain).fill(heatSeconds(history));
  }, [domain, history]);
  const past = range.kind === "fixed";
  const seconds = past ? 120 : Math.min(300, lengthOf(range) / 1000);
  const stronger = scheme === "dark" ? "brighter" : "darker";
  return (
    <Panel
      title={
        <>
          Every connection{" "}
          <span className="muted" style={{ fontWeight: 400, marginLeft: 8 }}>
            {past && "now; "}
            {SAID[measure]}; {stronger} is {measure === "busy" ? "busier" : "slower"}
          </span>
        </>
      }
      aside={
        <Seg
          label="Measure"
          value={measure}
          onChange={setMeasure}
          options={[
            ["p99", "p99"],
            ["mean", "mean"],
            ["busy", "busy"],
          ]}
        />
      }
      live
    >
      <Heatmap domain={domain} measure={measure} seconds={seconds} />
      <ConnectionTable domain={domain} />
    </Panel>
  );
}
