import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useMatchRoute, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { filesOf, runQuery, runsQuery, useExperiments, useRuns } from "@/api/experiments";
import { Problem } from "@/api/problem";
import type { ExperimentRun } from "@/api/types";
import { age, stamp } from "@/format/format";
import { Fault, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Changes } from "@/ui/role";
import { tookMs } from "./form";
import { Progress } from "./Progress";
import { RemoveRun } from "./RemoveRun";
import { Report } from "./Report";
import { Word } from "./Word";
import { STATES, setUpOf } from "./words";

/** A run: its progress while it is measured, then its report. */
export function Run({ id }: { id: string }) {
  const { data: run, error, refetch } = useQuery(runQuery(id));
  const queries = useQueryClient();
  const state = run?.state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists are read again when the state changes.
  useEffect(() => void queries.invalidateQueries({ queryKey: runsQuery.queryKey }), [state, queries]);
  if (error instanceof Problem && error.status === 404)
    return (
      <div className="panel empty">
        <h1>There is no run {id}</h1>
        <p>It may have been deleted.</p>
        <p>
          <Link to="/lab">Go to the lab</Link>
        </p>
      </div>
    );
  return (
    <>
      <Heading id={id} run={run} />
      {error && <Fault error={error} retry={() => void refetch()} />}
      {run && (
        <>
          <Question experiment={run.experiment} />
          {run.state === "running" && (
            <Panel title="In progress">
              <div className="pad stack lab-running">
                <Progress run={run} />
                <p className="muted">
                  The run uses the whole machine, and the figures of all domains suffer. It goes on when this page is
                  closed.
                </p>
              </div>
            </Panel>
          )}
          {run.state === "failed" && (
            <p className="note bad" role="alert">
              The run failed: {run.problem}
            </p>
          )}
          {run.state === "cancelled" && <p className="note">The run was cancelled. It has no report.</p>}
          {run.report && <Report id={id} experiment={run.experiment} report={run.report} />}
          <SetUp run={run} />
        </>
      )}
    </>
  );
}

function Heading({ id, run }: { id: string; run: ExperimentRun | undefined }) {
  const navigate = useNavigate();
  const isAt = useMatchRoute();
  const files = filesOf(id);
  return (
    <div className="row wrap">
      <h1>
        Run {id}
        {run && ` of ${run.experiment}`}
      </h1>
      {run && <Word of={STATES[run.state]} />}
      <span className="grow" />
      <span className="row wrap lab-deeds">
        {run?.report && (
          <>
            <a className="btn" href={files.markdown} download={`${run.experiment}-${id}.md`}>
              Markdown
            </a>
            <a className="btn" href={files.csv} download={`${run.experiment}-${id}.csv`}>
              CSV
            </a>
            <a className="btn" href={files.json} download={`${run.experiment}-${id}.json`}>
              JSON
            </a>
            <Before run={run} />
          </>
        )}
        {run && run.state !== "running" && (
          <Changes>
            <Link className="btn" to="/lab" search={{ start: run.experiment, like: Number(id) }}>
              Run again…
            </Link>
          </Changes>
        )}
        {run && (
          <RemoveRun
            run={run}
            onRemoved={() => {
              if (isAt({ to: "/lab/runs/$id", params: { id } })) void navigate({ to: "/lab" });
            }}
          />
        )}
        <Link className="btn" to="/lab">
          Back to the lab
        </Link>
      </span>
    </div>
  );
}

/** Leads to the comparison with the done run before this one, where any other can be chosen. */
function Before({ run }: { run: ExperimentRun }) {
  const runs = useRuns();
  const others = runs.data?.filter(({ id, state }) => state === "done" && id !== run.id) ?? [];
  const before = others.find(({ id, experiment }) => experiment === run.experiment && Number(id) < Number(run.id));
  if (others.length === 0) return null;
  return (
    <Link
      className="btn"
      to="/lab/compare"
      search={{ first: before ? Number(before.id) : undefined, second: Number(run.id) }}
    >
      {before ? `Compare with run ${before.id}` : "Compare…"}
    </Link>
  );
}

function Question({ experiment }: { experiment: string }) {
  const known = useExperiments().data?.find(({ name }) => name === experiment);
  if (!known) return null;
  return (
    <div className="lab-question">
      <p>{known.question}</p>
      <p className="muted small">{known.source}</p>
    </div>
  );
}

function SetUp({ run }: { run: ExperimentRun }) {
  const zone = useZone();
  const facts: [string, string][] = [
    ["started", `${stamp(run.startedAt, zone)} by ${run.startedBy}`],
    ["took", age(tookMs(run))],
    ...setUpOf(run),
  ];
  return (
    <Panel title="Set-up">
      <dl className="facts pad lab-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
