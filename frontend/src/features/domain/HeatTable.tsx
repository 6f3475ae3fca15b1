import { useEffect, useState } from "react";
import { FigureTable } from "@/charts/FigureTable";
import { NONE } from "@/format/format";
import type { HeatMeasure } from "@/stream/heat";
import { Drawer } from "@/ui/layers";
import { type HeatCells, rowName, timeOf } from "./heatCells";
import { heatSentence, heatTable, valueText } from "./heatWords";

const REFRESH_MS = 2_000;

type Props = {
  label: string;
  domain: string;
  measure: HeatMeasure;
  cells: () => HeatCells;
  /** Says a time of these cells, in ms since 1970. */
  timeIn: (grid: HeatCells) => (time: number) => string;
};

/** A heat map's values as a sentence and a table. */
export function HeatTable({ opened, onClose, ...shown }: Props & { opened: boolean; onClose: () => void }) {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={800} title={shown.label}>
      <Values {...shown} />
    </Drawer>
  );
}

function Values({ label, domain, measure, cells, timeIn }: Props) {
  const [, refresh] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => refresh((n) => n + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const grid = cells();
  const timeText = timeIn(grid);
  const { parts, rows } = heatTable(grid);
  const text = (value: number) => (Number.isNaN(value) ? NONE : valueText(value, measure));
  return (
    <div className="stack">
      <p>{heatSentence(grid, measure, domain, timeText)}</p>
      <p className="muted small">
        The greatest value of each connection in all, and in the time until each of these. {NONE} means that it was not
        open
        {measure !== "busy" && ", “none ended” that no statement ended"}.
      </p>
      <FigureTable
        label={label}
        corner="connection"
        columns={[
          { key: "greatest", head: "greatest" },
          { key: "at", head: "at" },
          ...parts.map(({ end }) => ({
            key: end,
            head: (
              <>
                <span className="sr-only">until </span>
                {timeText(timeOf(grid, end))}
              </>
            ),
          })),
        ]}
        rows={rows.map(({ id, greatest, at, parts: values }) => ({
          key: id,
          head: rowName(id, domain),
          title: id,
          figures: [text(greatest), greatest > 0 ? timeText(timeOf(grid, at)) : NONE, ...values.map(text)],
        }))}
      />
    </div>
  );
}
