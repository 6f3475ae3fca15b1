import type { Key, ReactNode } from "react";

type Props = {
  /** What the figures are of. */
  label: string;
  caption?: string;
  className?: string;
  /** What the first cells of the rows are. */
  corner: string;
  columns: readonly { key: Key; head: ReactNode }[];
  /** A row has a figure for each column. */
  rows: readonly { key: Key; head: string; title?: string; figures: readonly string[] }[];
};

/** The figures that a chart draws, as a table which scrolls in itself. */
export function FigureTable({ label, caption, className = "values", corner, columns, rows }: Props) {
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={`Values of ${label}`}>
      <table className={className}>
        {caption && <caption className="sr-only">{caption}</caption>}
        <thead>
          <tr>
            <th scope="col">{corner}</th>
            {columns.map(({ key, head }) => (
              <th key={key} scope="col" className="r">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, head, title, figures }) => (
            <tr key={key}>
              <th scope="row" title={title}>
                {head}
              </th>
              {figures.map((figure, i) => (
                <td key={columns[i]?.key} className="r">
                  {figure}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
