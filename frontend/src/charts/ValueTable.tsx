import { useEffect, useState } from "react";
import { NONE, timeText, type Zone } from "@/format/format";
import { Drawer } from "@/ui/layers";
import type { Line, TimeSource } from "./TimeChart";
import { sentenceOf, valueRows } from "./values";

const REFRESH_MS = 2_000;

type Props<C extends string> = {
  label: string;
  lines: readonly Line<C>[];
  source: () => TimeSource<C>;
  format: (value: number) => string;
  zone: Zone;
  opened: boolean;
  onClose: () => void;
};

/** A chart's values as a sentence and a table. */
export function ValueTable<C extends string>({ label, opened, onClose, ...shown }: Props<C>) {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={460} title={label}>
      <Values {...shown} />
    </Drawer>
  );
}

function Values<C extends string>({ lines, source, format, zone }: Omit<Props<C>, "label" | "opened" | "onClose">) {
  const [, refresh] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => refresh((n) => n + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const shown = source();
  return (
    <div className="stack">
      <p>{sentenceOf(lines, shown, format)}</p>
      <table className="values">
        <thead>
          <tr>
            <th scope="col">until</th>
            {lines.map(({ label }) => (
              <th key={label} scope="col" className="r">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {valueRows(lines, shown).map(({ time, values }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its distance from now
            <tr key={i}>
              <th scope="row">{timeText(time, zone, shown)}</th>
              {values.map((value, j) => (
                <td key={lines[j]?.label} className="r">
                  {Number.isNaN(value) ? NONE : format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
