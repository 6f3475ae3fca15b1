import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { runQuery, useExperiments, useRuns } from "@/api/experiments";
import type { Experiment, ExperimentRun } from "@/api/types";
import { stamp } from "@/format/format";
import { Empty, type Told } from "@/ui/Empty";
import { Drawer } from "@/ui/layers";
import { Fault, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Changes, useMayChange } from "@/ui/role";
import { Progress } from "./Progress";
import { RemoveRun } from "./RemoveRun";
import { RunTable } from "./RunTable";
import { StartRun } from "./StartRun";
import { Word } from "./Word";
import { STATES } from "./words";

type Props = {
  /** The experiment whose form is open. */
  start: string | undefined;
  /** The run whose values the form begins with. */
  like: string | undefined;
  onStart: (experiment: string | undefined) => void;
};

/** Every experiment with its runs, and the run that is in progress. */
export function Lab({ start, like, onStart }: Props) {
  const experiments = useExperiments();
  const runs = useRuns();
  const mayChange = useMayChange();
  const running = runs.data?.find((run) => run.state === "running");
  const starting = experiments.data?.find((experiment) => experiment.name === start);
  const fault = experiments.error ?? runs.error;
  const known = runs.data !== undefined || runs.isError;
  return (
    <>
      {fault && (
        <Fault
          error={fault}
          retry={() => {
            void experiments.refetch();
            void runs.refetch();
          }}
        />
      )}
      {running && <Running key={running.id} listed={running} />}
      {experiments.data?.map((experiment) => (
        <ExperimentPanel
          key={experiment.name}
          experiment={experiment}
          runs={(runs.data ?? []).filter((run) => run.experiment === experiment.name)}
          listed={runs}
          onStart={() => onStart(experiment.name)}
        />
      ))}
      <Drawer
        opened={mayChange && starting !== undefined && known}
        onClose={() => onStart(undefined)}
        position="right"
        size={460}
        title={starting ? `A run of ${starting.name}` : ""}
      >
        {starting && (
          <StartRun
            key={`${starting.name} ${like}`}
            experiment={starting}
            like={runs.data?.find((run) => run.id === like)}
            onClose={() => onStart(undefined)}
          />
        )}
      </Drawer>
    </>
  );
}

/** The run in progress, read each second. The lists are read again when it ends; until they are, it says how it ended. */
export function Running({ listed }: { listed: ExperimentRun }) {
  const run = useQuery({ ...runQuery(listed.id), initialData: listed }).data;
  const { refetch } = useRuns();
  useEffect(() => {
    if (run.state !== "running") void refetch();
  }, [run.state, refetch]);
  return (
    <Panel
      title={
        <Link to="/lab/runs/$id" params={{ id: run.id }}>
          Run {run.id} of {run.experiment}
        </Link>
      }
      aside={
        <>
          <Word of={STATES[run.state]} />
          {run.state === "running" && <RemoveRun run={run} />}
        </>
      }
    >
      {run.state === "running" && (
        <div className="pad">
          <Progress run={run} />
        </div>
      )}
    </Panel>
  );
}

type PanelProps = {
  experiment: Experiment;
  runs: readonly ExperimentRun[];
  /** The answer that the runs are from. */
  listed: Told;
  onStart: () => void;
};

function ExperimentPanel({ experiment: { name, question, source }, runs, listed, onStart }: PanelProps) {
  const zone = useZone();
  const [last] = runs;
  return (
    <Panel
      title={name}
      aside={
        <>
          {last && (
            <>
              <span className="muted">last run {stamp(last.startedAt, zone)}</span>
              <Word of={STATES[last.state]} />
            </>
          )}
          <Changes>
            <button type="button" className="btn" onClick={onStart}>
              Start…<span className="sr-only"> a run of {name}</span>
            </button>
          </Changes>
        </>
      }
    >
      <div className="pad lab-question">
        <p>{question}</p>
        <p className="muted small">{source}</p>
      </div>
      {runs.length === 0 ? (
        <Empty of={listed} className="lab-none">
          No run yet
        </Empty>
      ) : (
        <RunTable experiment={name} runs={runs} />
      )}
    </Panel>
  );
}
