import { Switch } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useDomain } from "@/api/domains";
import { catalogueQuery, executeSql } from "@/api/sql";
import { type Execution, execute, rowsOf } from "@/sql/execution";
import { Panel } from "@/ui/parts";
import { useMayChange } from "@/ui/role";
import { Editor, type EditorHandle } from "./Editor";
import { HistoryList } from "./HistoryList";
import { forget, readHistory, remember } from "./history";
import { Results } from "./Results";
import { SqlSettings } from "./SqlSettings";
import { Status } from "./Status";
import { placeOf, requestOf, type Sent, toExplain } from "./sent";
import { leave, left } from "./unsent";

const ROW_LIMITS = [
  ["100", "100 rows"],
  ["1000", "1,000 rows"],
  ["10000", "10,000 rows"],
  ["100000", "100,000 rows"],
  ["", "all rows"],
] as const;

const TIMEOUTS = [
  ["5000", "5 s"],
  ["30000", "30 s"],
  ["120000", "2 min"],
  ["600000", "10 min"],
] as const;

const CHANGES_CATALOGUE = /^(create|alter|drop|do|call)\b/i;

type Props = { domain: string };

/**
 * The SQL console of a domain. Statements pass the domain's gate like those of any other caller. Where the domain or the
 * reader's role allows reading alone, its switch says so and stays on.
 */
export function Console({ domain }: Props) {
  const reader = !useMayChange();
  const editor = useRef<EditorHandle>(null);
  const queries = useQueryClient();
  const catalogue = useQuery(catalogueQuery(domain));
  const [history, setHistory] = useState(() => readHistory(domain));
  const about = useDomain(domain);
  const access = about?.sql.access ?? "write";
  const onlyReads = reader || access === "read";
  const [wantsReadOnly, setReadOnly] = useState(true);
  const readOnly = onlyReads || wantsReadOnly;
  const [limiting, setLimiting] = useState(false);
  const [maxRows, setMaxRows] = useState("10000");
  const [timeoutMs, setTimeoutMs] = useState("30000");
  const [shown, setShown] = useState<{ sent: Sent; execution: Execution } | null>(null);
  /** There was nothing to run when it was last asked for. */
  const [nothing, setNothing] = useState(false);
  const cancel = useRef<(() => void) | null>(null);
  const running = shown?.execution.outcome === "running";

  // Leaving the page cancels what it executes.
  useEffect(() => () => cancel.current?.(), []);

  const run = (explain: boolean) => {
    if (running) return;
    const pieces = editor.current?.toRun() ?? [];
    setNothing(pieces.length === 0);
    if (pieces.length === 0) return;
    const sent: Sent = { pieces: explain ? toExplain(pieces) : pieces, explain, readOnly };
    const request = requestOf(sent, maxRows === "" ? undefined : Number(maxRows), Number(timeoutMs));
    editor.current?.mark(null);
    cancel.current = execute(
      (signal) => executeSql(domain, request, signal),
      (execution) => {
        setShown({ sent, execution });
        if (execution.outcome !== "running") finish(sent, execution);
      },
    );
  };

  const finish = (sent: Sent, execution: Execution) => {
    const { outcome, results, elapsedMs } = execution;
    if (outcome === "running") return;
    const failed = results.findIndex((each) => each.error);
    editor.current?.mark(placeOf(sent, failed, results[failed]?.error));
    const sql = sent.pieces.map((piece) => piece.sql).join("\n");
    setHistory(remember(domain, { sql, at: Date.now(), elapsedMs, rows: rowsOf(execution), outcome }));
    const changed = !sent.readOnly && sent.pieces.some((piece) => CHANGES_CATALOGUE.test(piece.sql));
    if (changed || catalogue.isError) {
      void queries.invalidateQueries({ queryKey: catalogueQuery(domain).queryKey });
    }
  };

  return (
    <div className="policy-cols">
      <div className="stack">
        <Panel
          title="Statement"
          aside={
            <span className="row" style={{ gap: 12 }}>
              <Switch
                size="xs"
                label={onlyReads ? `Read-only, as ${reader ? "your role" : domain} is` : "Read-only"}
                checked={readOnly}
                disabled={running || onlyReads}
                onChange={(event) => setReadOnly(event.currentTarget.checked)}
              />
              {about && !reader && (
                <button type="button" className="btn small" onClick={() => setLimiting(true)}>
                  Limits…
                </button>
              )}
            </span>
          }
        >
          {access === "off" && (
            <p className="note warn sql-writes" role="status">
              SQL over HTTP is off for {domain}: every request is refused.{" "}
              {!reader && (
                <>
                  <i>Limits…</i> turns it on.
                </>
              )}
            </p>
          )}
          {about && <SqlSettings domain={about} opened={limiting} onClose={() => setLimiting(false)} />}
          <Editor
            label={`SQL for ${domain}`}
            initial={left(domain) ?? history[0]?.sql ?? ""}
            onLeave={(text) => leave(domain, text)}
            catalogue={catalogue.data}
            onRun={() => run(false)}
            handle={editor}
          />
          {!readOnly && (
            <p className="note warn sql-writes" role="status">
              Read-only is off. Statements can change data of {domain}, and what they change is kept.
            </p>
          )}
          <div className="sql-bar">
            {running ? (
              <button type="button" className="btn" onClick={() => cancel.current?.()}>
                Cancel
              </button>
            ) : (
              <button type="button" className={`btn ${readOnly ? "pri" : "writes"}`} onClick={() => run(false)}>
                {readOnly ? "Run" : "Run, may write"}
              </button>
            )}
            <button type="button" className="btn" disabled={running} onClick={() => run(true)}>
              {readOnly ? "Explain" : "Explain without executing"}
            </button>
            <span className="muted small sql-key">
              <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ ⏎" : "Ctrl ⏎"}</kbd> runs the selection, or the
              statement at the cursor
            </span>
            <span className="grow" />
            <span className="row sql-limits">
              <span className="muted small">at most</span>
              <Choice label="Row limit" value={maxRows} options={ROW_LIMITS} onChange={setMaxRows} />
              <span className="muted small">in</span>
              <Choice label="Timeout" value={timeoutMs} options={TIMEOUTS} onChange={setTimeoutMs} />
            </span>
          </div>
          {nothing && (
            <p className="pad muted small" role="status">
              There is no statement to run.
            </p>
          )}
          {catalogue.isError && (
            <p className="pad muted small">Table names are not completed: the catalogue could not be read.</p>
          )}
        </Panel>
        <Status execution={shown?.execution ?? null} />
        {shown && (
          <Results
            key={shown.execution.startedAt}
            {...shown}
            domain={domain}
            onGo={(offset) => editor.current?.go(offset)}
          />
        )}
      </div>
      <HistoryList
        entries={history}
        onPick={(sql) => editor.current?.replace(sql)}
        onClear={() => {
          forget(domain);
          setHistory([]);
        }}
      />
    </div>
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
};

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <span className="inp sql-choice">
      <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
