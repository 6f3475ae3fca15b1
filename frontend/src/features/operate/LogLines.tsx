import { useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { type Level, logQuery } from "@/api/leases";
import type { LogLine } from "@/api/types";
import { stamp } from "@/format/format";
import { Empty } from "@/ui/Empty";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";

const LEVELS = ["info", "warn", "error"] as const;
const TONES: Record<LogLine["level"], string> = { debug: "", info: "", warn: "warn", error: "bad" };

/** The service's own log lines, of a domain or of all. */
export function LogLines({ domain }: { domain?: string }) {
  const [level, setLevel] = useState<Level | undefined>();
  const [text, setText] = useState("");
  const q = useDeferredValue(text) || undefined;
  const log = useInfiniteQuery(logQuery({ domain, level, q }));
  const lines = log.data?.pages.flatMap((page) => page.items) ?? [];
  const filtered = level !== undefined || q !== undefined;
  return (
    <>
      <search className="filters" aria-label="Filter the log">
        <span className="inp">
          <select
            aria-label="Level"
            value={level ?? ""}
            onChange={(event) => setLevel((event.target.value || undefined) as Level | undefined)}
          >
            <option value="">Level: all</option>
            {LEVELS.map((each) => (
              <option key={each} value={each}>
                {each}
                {each === "error" ? "" : " and above"}
              </option>
            ))}
          </select>
        </span>
        <span className="inp" style={{ flex: 1 }}>
          <input
            type="search"
            aria-label="Text in the line"
            placeholder="Text in the line"
            maxLength={100}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </span>
      </search>
      {log.isError && <Fault error={log.error} retry={() => void log.refetch()} />}
      <section className="panel" aria-label="Log">
        <ol className="log-lines">
          {lines.map((line) => (
            <Line key={line.id} line={line} showsDomain={domain === undefined} />
          ))}
        </ol>
        {lines.length === 0 && (
          <Empty of={log}>
            {filtered
              ? "No line matches this filter."
              : `The service has logged nothing ${domain ? `about ${domain} ` : ""}since it started.`}
          </Empty>
        )}
      </section>
      {log.hasNextPage && (
        <p>
          <button
            type="button"
            className="btn"
            onClick={() => void log.fetchNextPage()}
            disabled={log.isFetchingNextPage}
          >
            Older lines
          </button>
        </p>
      )}
    </>
  );
}

function Line({ line, showsDomain }: { line: LogLine; showsDomain: boolean }) {
  const zone = useZone();
  return (
    <li>
      <span className="mono faint">{stamp(line.time, zone)}</span>
      <span className={`chip ${TONES[line.level]}`}>{line.level}</span>
      <span className="message">
        {line.message}{" "}
        <span className="muted small">
          {line.logger}
          {showsDomain && line.domain && `, ${line.domain}`}
        </span>
        {line.trace && (
          <details>
            <summary className="small">Stack trace</summary>
            <pre className="json">{line.trace}</pre>
          </details>
        )}
      </span>
    </li>
  );
}
