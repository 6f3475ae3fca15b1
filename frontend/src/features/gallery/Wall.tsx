import { memo } from "react";
import { count } from "@/format/format";
import type { Cell } from "@/sql/records";
import { Panel } from "@/ui/parts";
import { imageOf } from "./bytea";
import type { Run } from "./runs";

/** The portraits that have arrived. Those out of sight cost no layout and no painting (content-visibility). */
export function Wall({ rows, run }: { rows: readonly Cell[][]; run: Run | null }) {
  return (
    <Panel title="Portraits" aside={run && <span className="muted">{saidOf(rows.length, run)}</span>}>
      {rows.length > 0 ? (
        <ul className="gallery-wall" aria-label="Portraits">
          {rows.map((row) => (
            <Portrait key={row[0]} row={row} />
          ))}
        </ul>
      ) : (
        <p className="empty">{emptyOf(run)}</p>
      )}
    </Panel>
  );
}

function saidOf(there: number, { rows }: Run): string {
  return `${count(there)} of ${count(rows)}`;
}

function emptyOf(run: Run | null): string {
  if (!run) return "Press Stream to read them.";
  if (run.outcome !== "running") return "No portrait arrived.";
  return run.kind === "whole" ? "Waiting for the whole answer." : "Waiting for the first row.";
}

/** One row. */
const Portrait = memo(function Portrait({ row }: { row: Cell[] }) {
  const [, name, born, died, image = null, life] = row;
  return (
    <li>
      <img src={imageOf(image)} alt={`Portrait of ${name}`} width={84} height={112} decoding="async" />
      <b>{name}</b>
      <span className="muted small">
        {yearOf(born)} – {yearOf(died)}
      </span>
      <p className="faint small">{life}</p>
    </li>
  );
});

function yearOf(date: Cell | undefined): string {
  return date?.slice(0, 4) ?? "?";
}
