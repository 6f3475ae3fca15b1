import { useInfiniteQuery } from "@tanstack/react-query";
import { type Level, logQuery } from "@/api/leases";
import type { LogLine } from "@/api/types";
import { stamp } from "@/format/format";
import { Empty } from "@/ui/Empty";
import { FilterBox } from "@/ui/FilterBox";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";

const LEVELS = ["info", "warn", "error"] as const satisfies readonly Level[];
const TONES: Record<LogLine["level"], string> = { debug: "", info: "", warn: "warn", error: "bad" };

/** The least level of the lines that are shown, and a text in them. */
export type LogFilter = { level?: (typeof LEVELS)[number] | undefined; q?: string | undefined };

type Props = { domain?: string; filter: LogFilter; onFilter: (filter: LogFilter) => void };

/** The service's own log lines, of a domain or of all. */
export function LogLines({ domain, filter, onFilter }: Props) {
  const { level, q } = filter;
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
            onChange={(event) => onFilter({ q, level: LEVELS.find((each) => each === event.target.value) })}
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
        <FilterBox
          label="Text in the line"
          placeholder="Text in the line"
          maxLength={100}
          value={q ?? ""}
          onChange={(text) => onFilter({ level, q: text || undefined })}
        />
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
