import { useEffect, useState } from "react";
import { NONE, timeText, type Zone } from "@/format/format";
import { Drawer } from "@/ui/layers";
import { FigureTable } from "./FigureTable";
import { sentenceOf, type Told, valueRows } from "./values";

const REFRESH_MS = 2_000;

type Props = {
  label: string;
  told: () => readonly Told[];
  span: () => { until: number; spanMs: number; now: number };
  format: (value: number) => string;
  zone: Zone;
  opened: boolean;
  onClose: () => void;
};

/** A chart's values as a sentence and a table. */
export function ValueTable({ label, opened, onClose, ...shown }: Props) {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={460} title={label}>
      <Values label={label} {...shown} />
    </Drawer>
  );
}

function Values({ label, told, span, format, zone }: Omit<Props, "opened" | "onClose">) {
  const [, refresh] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => refresh((n) => n + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const [columns, shown] = [told(), span()];
  return (
    <div className="stack">
      <p>{sentenceOf(columns, shown, format)}</p>
      <FigureTable
        label={label}
        corner="until"
        columns={columns.map(({ label }) => ({ key: label, head: label }))}
        rows={valueRows(columns, shown).map(({ time, values }, i) => ({
          key: i, // a row is its distance from now
          head: timeText(time, zone, shown),
          figures: values.map((value) => (Number.isNaN(value) ? NONE : format(value))),
        }))}
      />
    </div>
  );
}
