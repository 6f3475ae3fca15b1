import { useState } from "react";
import { count, duration, stamp } from "@/format/format";
import { OutcomeChip } from "@/ui/OutcomeChip";
import { Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import type { HistoryEntry } from "./history";

type Props = { entries: readonly HistoryEntry[]; onPick: (sql: string) => void; onClear: () => void };

/** The last statements of this browser. */
export function HistoryList({ entries, onPick, onClear }: Props) {
  const zone = useZone();
  const [wanted, setWanted] = useState("");
  const found = entries.filter(({ sql }) => sql.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <Panel
      title="History"
      className="sql-history"
      aside={
        entries.length > 0 && (
          <button type="button" className="btn small" onClick={onClear}>
            Clear
          </button>
        )
      }
    >
      {entries.length > 0 && (
        <div className="pad">
          <span className="inp">
            <input
              type="search"
              aria-label="Text in the history"
              placeholder="Text in the statement"
              value={wanted}
              onChange={(event) => setWanted(event.target.value)}
            />
          </span>
        </div>
      )}
      {found.length > 0 ? (
        <ul>
          {found.map(({ sql, at, elapsedMs, rows, outcome }) => (
            <li key={sql}>
              <button type="button" onClick={() => onPick(sql)} title="Put it into the editor">
                <code className="mono">{sql}</code>
                <span className="figures small muted">
                  <OutcomeChip outcome={outcome} />
                  <span>
                    {duration(elapsedMs)} · {count(rows)} {rows === 1 ? "row" : "rows"}
                  </span>
                  <span title={stamp(at, zone)}>{stamp(at, zone).slice(5, 16)}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <p className="empty">
          {entries.length > 0 ? "No statement has this text." : "Statements that you run are kept in this browser."}
        </p>
      )}
    </Panel>
  );
}
