import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { decisionsQuery } from "@/api/log";
import { usePlugins } from "@/api/policies";
import type { Decision } from "@/api/types";
import { count, duration, stamp } from "@/format/format";
import { kindName, kinds } from "@/format/names";
import { answerText, placed } from "@/policy/answer";
import { chartsAround, decisionsAround, momentOf } from "@/policy/around";
import { policyName } from "@/policy/attribution";
import { serverNow } from "@/stream/browser";
import { useDecisions, useLive, usePools } from "@/stream/hooks";
import { Choice } from "@/ui/Choice";
import { Empty } from "@/ui/Empty";
import { FilterBox } from "@/ui/FilterBox";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { DecisionSentence } from "@/ui/sentences";
import { isOutrun, type LogFilter, mergeLog } from "./merge";

/** Who decides beside the policies. */
const OF_HEADGATE = ["allocator", "governor", "guard"];

const TONES: Record<string, string> = {
  held: "warn",
  refused: "bad",
  degraded: "warn",
  quarantined: "bad",
  alarm: "warn",
  unreachable: "bad",
  unjudged: "warn",
  policy: "acc",
  recovered: "good",
  reachable: "good",
  cleared: "good",
};

type Props = { filter: LogFilter; open?: string; onFilter: (filter: LogFilter) => void };

/** The decision log: updated live at its top, older pages on demand. Each decision opens to show its inputs. */
export function Log({ filter, open, onFilter }: Props) {
  const { domain, database, kind, policy } = filter;
  const moment = momentOf(filter.at);
  const around = moment === null ? null : decisionsAround(moment);
  const between = around && {
    from: new Date(around.from).toISOString(),
    to: new Date(around.to).toISOString(),
  };
  const zone = useZone();
  const names = usePools().map((p) => p.domain);
  const databases = useLive((s) => s.databases()).map((d) => d.name);
  const plugins = usePlugins();
  const live = useDecisions(domain);
  const log = useInfiniteQuery(decisionsQuery({ domain, database, kind, policy, q: filter.q, ...between }));
  const stored = log.data?.pages.flatMap((page) => page.items) ?? [];
  const lost = log.data?.pages[0]?.lost ?? 0;
  const decisions = mergeLog(stored, live, filter);
  const outrun = log.isSuccess && isOutrun(live, log.dataUpdatedAt + serverNow() - Date.now());
  const { refetch } = log;
  useEffect(() => {
    if (outrun) void refetch();
  }, [outrun, refetch]);
  return (
    <>
      <search className="filters" aria-label="Filter decisions">
        <Choice label="Domain" value={domain} options={names} onChange={(v) => onFilter({ ...filter, domain: v })} />
        {(databases.length > 1 || database) && (
          <Choice
            label="Database"
            value={database}
            options={databases}
            onChange={(v) => onFilter({ ...filter, database: v })}
          />
        )}
        <Choice
          label="Kind"
          value={kind}
          options={kinds}
          name={kindName}
          onChange={(v) => onFilter({ ...filter, kind: v })}
        />
        <Choice
          label="Policy"
          value={policy}
          options={[...(plugins.data?.map((p) => p.id) ?? []), ...OF_HEADGATE]}
          onChange={(v) => onFilter({ ...filter, policy: v })}
        />
        <FilterBox
          label="Text in the decision"
          placeholder="Text in the decision"
          maxLength={100}
          value={filter.q ?? ""}
          onChange={(q) => onFilter({ ...filter, q: q || undefined })}
        />
        {around && (
          <button
            type="button"
            className="btn"
            aria-label="Decisions of all times"
            title="Show the decisions of all times"
            onClick={() => onFilter({ ...filter, at: undefined })}
          >
            {stamp(around.from, zone)} to {stamp(around.to, zone).slice(11)} ✕
          </button>
        )}
      </search>
      {log.isError && <Fault error={log.error} retry={() => void log.refetch()} />}
      {lost > 0 && (
        <p className="note warn" role="status">
          {count(lost)} {lost === 1 ? "decision" : "decisions"} could not be stored since the service started. The
          service's log says why.
        </p>
      )}
      <section className="panel" aria-label="Decisions" data-testid="log">
        {decisions.map((d) => (
          <Entry key={d.id} decision={d} names={names} initiallyOpen={d.id === open} />
        ))}
        {decisions.length === 0 && (
          <Empty of={log}>
            {Object.values(filter).some(Boolean)
              ? "No decision matches this filter."
              : "Nothing was changed or refused yet."}
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
            {log.isFetchingNextPage ? "Loading…" : "Older decisions"}
          </button>
        </p>
      )}
    </>
  );
}

type EntryProps = { decision: Decision; names: readonly string[]; initiallyOpen: boolean };

function Entry({ decision: d, names, initiallyOpen }: EntryProps) {
  const zone = useZone();
  const [open, setOpen] = useState(initiallyOpen);
  return (
    <details className="decision" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="mono faint">{stamp(d.lastTime ?? d.time, zone)}</span>
        <span>
          <span className={`chip ${TONES[d.kind] ?? ""}`}>{kindName(d.kind)}</span>
        </span>
        <span className="muted">{d.policy ? policyName(d.policy, d.database) : ""}</span>
        <p>
          <DecisionSentence message={d.message} domains={names} subject={d.domain} plain />
        </p>
        <span className="faint">{d.count > 1 ? `×${count(d.count)}` : ""}</span>
      </summary>
      {open && <Details decision={d} names={names} />}
    </details>
  );
}

function Details({ decision: d, names }: { decision: Decision; names: readonly string[] }) {
  const zone = useZone();
  const named = names.filter((name) => name === d.domain || d.message.split(/[^\w-]+/).includes(name));
  return (
    <div className="decision-body">
      <div>
        <h3>Inputs</h3>
        <dl className="facts">
          {Object.entries(d.inputs ?? {}).map(([name, value]) => (
            <Fact key={name} name={name} value={value} />
          ))}
        </dl>
      </div>
      <div>
        <h3>Limits before and after</h3>
        <table>
          <tbody>
            {(["floor", "ceiling", "target"] as const).map((name) => (
              <tr key={name}>
                <td className="muted">{name}</td>
                <td className="r">{d.before?.[name] ?? "–"}</td>
                <td className="r">
                  {d.before?.[name] === d.after?.[name] ? (d.after?.[name] ?? "–") : <b>{d.after?.[name] ?? "–"}</b>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div>
        <h3>What each policy answered</h3>
        {placed(d.answers ?? []).map(({ answer: a, place }) => (
          <p key={`${a.policy} ${place}`} style={{ marginBottom: 6 }}>
            <b>{policyName(a.policy, d.database)}</b> {answerText(a)}
            {a.predictedMs != null && <span className="muted small"> · expects {duration(a.predictedMs)}</span>}
            {a.reason && <span className="muted small"> · {a.reason}</span>}
          </p>
        ))}
        {d.combined && (
          <p style={{ marginBottom: 6 }}>
            <b>together</b> {answerText(d.combined)}
            <span className="muted small"> · bound by {policyName(d.policy, d.database)}</span>
          </p>
        )}
        {(d.answers ?? []).length === 0 && <p className="faint">No policy was asked.</p>}
      </div>
      <div>
        <h3>Where and when</h3>
        <dl className="facts">
          <Fact name="first" value={stamp(d.time, zone)} />
          <Fact name="last" value={stamp(d.lastTime ?? d.time, zone)} />
          <dt>domains</dt>
          <dd>
            {named.map((name) => (
              <Link
                key={name}
                to="/domains/$domain"
                params={{ domain: name }}
                search={chartsAround(Date.parse(d.lastTime ?? d.time), serverNow())}
                style={{ marginRight: 8 }}
              >
                charts of {name} then
              </Link>
            ))}
            {named.length === 0 && "–"}
          </dd>
          <Fact name="revision" value={d.revision} />
          <Fact name="database" value={d.database} />
          <Fact name="node" value={d.node} />
          <Fact name="id" value={d.id} />
        </dl>
      </div>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: unknown }) {
  let text = value == null ? "–" : typeof value === "object" ? JSON.stringify(value) : String(value);
  if (typeof value === "number") text = name.endsWith("Ms") ? duration(value) : count(value);
  return (
    <>
      <dt>{name.replace(/Ms$/, "")}</dt>
      <dd style={{ overflowWrap: "anywhere" }}>{text}</dd>
    </>
  );
}
