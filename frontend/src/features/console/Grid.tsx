import { useElementSize } from "@mantine/hooks";
import { useMemo, useState } from "react";
import { count } from "@/format/format";
import type { Result } from "@/sql/execution";
import type { Cell, Column } from "@/sql/records";
import { Drawer } from "@/ui/layers";
import { spanOfColumns, spanOfRows } from "./span";

const ROW = 26;
const HEAD = 44;
const SPARE_ROWS = 12;
const NUMBER_COLUMN = 64;

/** The rows of a result as a table that renders only what is in sight. It grows while rows arrive. */
export function Grid({ result, label }: { result: Result; label: string }) {
  const { columns, rows } = result;
  const kept = rows.length;
  const widths = useWidths(columns, rows);
  const { ref, width, height } = useElementSize();
  const [at, setAt] = useState({ top: 0, left: 0 });
  const [opened, setOpened] = useState<number | null>(null);
  const down = spanOfRows(kept, ROW, at.top, height, SPARE_ROWS);
  const across = spanOfColumns(widths, at.left, width);
  const shown = columns.slice(across.from, across.to);
  return (
    <>
      <section
        className="sql-grid"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reached by the keyboard
        tabIndex={0}
        ref={ref}
        style={{ height: HEAD + ROW * Math.min(kept, 18) + 14 }}
        onScroll={({ currentTarget: { scrollTop, scrollLeft } }) => setAt({ top: scrollTop, left: scrollLeft })}
      >
        <table
          aria-rowcount={kept + 1}
          aria-colcount={columns.length + 1}
          style={{ width: Math.max(width, NUMBER_COLUMN + widths.reduce((sum, each) => sum + each, 0)) }}
        >
          <colgroup>
            <col style={{ width: NUMBER_COLUMN }} />
            {across.before > 0 && <col style={{ width: across.before }} />}
            {shown.map((_, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
              <col key={across.from + i} style={{ width: widths[across.from + i] }} />
            ))}
            <col />
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col" className="r" aria-colindex={1}>
                #
              </th>
              {across.before > 0 && <td aria-hidden="true" />}
              {shown.map(({ name, type }, i) => (
                <th
                  // biome-ignore lint/suspicious/noArrayIndexKey: names repeat
                  key={across.from + i}
                  scope="col"
                  className={isNumber(type) ? "r" : undefined}
                  aria-colindex={across.from + i + 2}
                  title={`${name} ${type}`}
                >
                  {name}
                  <span className="type">{type}</span>
                </th>
              ))}
              <td aria-hidden="true" />
            </tr>
          </thead>
          <tbody>
            {down.before > 0 && <tr className="room" style={{ height: down.before }} />}
            {rows.slice(down.from, down.to).map((row, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
              <tr key={down.from + i} aria-rowindex={down.from + i + 2}>
                <th scope="row" className="r" aria-colindex={1}>
                  <button
                    type="button"
                    aria-label={`Row ${count(down.from + i + 1)}, show all of it`}
                    onClick={() => setOpened(down.from + i)}
                  >
                    {count(down.from + i + 1)}
                  </button>
                </th>
                {across.before > 0 && <td aria-hidden="true" />}
                {shown.map(({ type }, j) => (
                  <td
                    // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place
                    key={across.from + j}
                    className={isNumber(type) ? "r" : undefined}
                    aria-colindex={across.from + j + 2}
                  >
                    <Value cell={row[across.from + j]} most={MOST_SHOWN} />
                  </td>
                ))}
                <td aria-hidden="true" />
              </tr>
            ))}
            {down.after > 0 && <tr className="room" style={{ height: down.after }} />}
          </tbody>
        </table>
      </section>
      <Drawer
        opened={opened !== null}
        onClose={() => setOpened(null)}
        position="right"
        size={520}
        title={`Row ${count((opened ?? 0) + 1)}`}
      >
        <dl className="sql-row">
          {opened !== null &&
            columns.map(({ name, type }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names repeat
              <div key={i}>
                <dt>
                  {name} <span className="faint">{type}</span>
                </dt>
                <dd className="mono">
                  <Value cell={rows[opened]?.[i]} />
                </dd>
              </div>
            ))}
        </dl>
      </Drawer>
    </>
  );
}

/** Of a long value the grid shows its beginning; the row's own view shows all. */
const MOST_SHOWN = 300;

function Value({ cell, most = Number.POSITIVE_INFINITY }: { cell: Cell | undefined; most?: number }) {
  if (cell == null) return <span className="sql-null">NULL</span>;
  return <>{cell.length > most ? `${cell.slice(0, most)}…` : cell}</>;
}

const NUMBERS = /^(int[248]|float[48]|numeric|oid|money)$/;

function isNumber(type: string): boolean {
  return NUMBERS.test(type);
}

const SAMPLE = 60;
const CHARACTER = 7.4;
const LEAST = 56;
const MOST = 360;

/** Widths after the names and the first rows. They stand still when further rows arrive. */
function useWidths(columns: readonly Column[], rows: readonly Cell[][]): number[] {
  const sampled = Math.min(rows.length, SAMPLE);
  return useMemo(
    () =>
      columns.map(({ name, type }, i) => {
        const longest = rows
          .slice(0, sampled)
          .reduce((most, row) => Math.max(most, row[i]?.length ?? 4), Math.max(name.length, type.length));
        return Math.round(Math.min(MOST, Math.max(LEAST, longest * CHARACTER + 26)));
      }),
    [columns, rows, sampled],
  );
}
