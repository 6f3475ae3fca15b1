import { type ReactNode, useRef } from "react";
import { Panel } from "@/ui/parts";
import type { Line } from "./TimeChart";
import "./panel.css";

/**
 * How a line or an area is named. One without a colour, or named in the picture itself, has a value under the crosshair
 * and no place in the legend: what comes and goes with the policies would make the legend a line longer and move the chart.
 */
export type Key = { label: string; color: string; look: "line" | "dash" | "area"; inPicture?: true };

export const keyOf = ({ label, color, dash }: Line<string>): Key => ({
  label,
  color: `var(${color})`,
  look: dash ? "dash" : "line",
});

type Props = {
  title: string;
  keys: readonly Key[];
  format: (value: number) => string;
  aside?: string;
  /** The name of the earlier range that is drawn beneath. */
  earlier: string | undefined;
  children: (onValues: (values: ReadonlyMap<string, number> | null) => void) => ReactNode;
};

/**
 * A chart with its legend. The values under the crosshair stand over the chart, not in the legend: nothing moves under the
 * pointer. They are written to the DOM directly, without React.
 */
export function ChartPanel({ title, keys, format, aside, earlier, children }: Props) {
  const figures = useRef(new Map<string, HTMLElement>());
  const readout = useRef<HTMLParagraphElement>(null);
  const show = (values: ReadonlyMap<string, number> | null) => {
    let measured = 0;
    for (const [label, element] of figures.current) {
      const value = values?.get(label);
      const known = value !== undefined && !Number.isNaN(value);
      element.textContent = known ? format(value) : "–";
      if (known) measured++;
    }
    if (readout.current) readout.current.hidden = measured === 0;
  };
  return (
    <Panel
      title={title}
      live
      aside={
        <span className="legend">
          {aside && <span>{aside}</span>}
          {!(aside && keys.length === 1) &&
            keys
              .filter(({ color, inPicture }) => color !== "" && !inPicture)
              .map((key) => (
                <span key={key.label}>
                  <Swatch of={key} />
                  {key.label === "ceiling" ? "floor to ceiling" : key.label}
                </span>
              ))}
          {earlier && (
            <span>
              <i className="earlier" />
              {earlier}
            </span>
          )}
        </span>
      }
    >
      <div className="chart" data-chart={title}>
        {children(show)}
        <p className="legend readout" ref={readout} hidden>
          {keys.map((key) => (
            <span key={key.label}>
              <Swatch of={key} />
              {key.label}
              <b
                ref={(element) => {
                  if (element) figures.current.set(key.label, element);
                  else figures.current.delete(key.label);
                }}
              />
            </span>
          ))}
        </p>
      </div>
    </Panel>
  );
}

function Swatch({ of: { color, look } }: { of: Key }) {
  return color === "" ? null : <i className={look} style={{ borderColor: color }} />;
}
