import { Slider, Switch } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { sentence } from "@/api/problem";
import type { Workload } from "@/api/types";
import { isGallery, useSteerWorkload, useWorkloads } from "@/api/workloads";
import { count, ofRequests } from "@/format/format";
import { Fault, Ms, Num, Panel } from "@/ui/parts";
import { useMayChange } from "@/ui/role";

const LEAST = 0.1;
const MOST = 5_000;

/** The slider is logarithmic, from 0.1 to 5,000 requests per second. */
export const toSlider = (rate: number) => Math.log10(Math.min(MOST, Math.max(LEAST, rate)));
export const fromSlider = (at: number) => {
  const rate = 10 ** at;
  const digits = rate < 10 ? 10 : rate < 100 ? 1 : 0.1;
  return Math.min(MOST, Math.max(LEAST, Math.round(rate * digits) / digits));
};

/** How a load with phases or users arrives at this moment. */
function planned({ running, users, ratePerSecond, phase, phases }: Workload): string {
  if (!running) return "Not running.";
  const level = users === null ? `${count(ratePerSecond)}/s` : `${count(users)} users`;
  return phases.length === 0 ? `${level}.` : `Phase ${(phase ?? 0) + 1} of ${phases.length}: ${level}.`;
}

/** One load: starts and stops it, sets its rate, shows its results. */
export function WorkloadCard({ workload, title }: { workload: Workload; title?: string }) {
  const steer = useSteerWorkload(workload.name);
  const fixed = !useMayChange();
  const [rate, setRate] = useState(workload.ratePerSecond);
  const [text, setText] = useState<string | null>(null);
  useEffect(() => setRate(workload.ratePerSecond), [workload.ratePerSecond]);
  const send = (ratePerSecond: number) => {
    if (!(ratePerSecond >= LEAST && ratePerSecond <= MOST)) return;
    steer.mutate({ ratePerSecond });
    setText(null);
  };
  const steered = workload.users === null && workload.phases.length === 0;
  const bad = text !== null && !(Number(text) >= LEAST && Number(text) <= MOST);
  const refused = workload.refused - workload.dropped;
  const refusing = useHasGrown(refused);
  const failing = useHasGrown(workload.errors);
  const behind = workload.running && workload.achievedPerSecond < workload.offeredPerSecond * 0.95;
  return (
    <Panel
      title={title ?? workload.name}
      aside={
        <Switch
          size="xs"
          label="running"
          disabled={fixed}
          checked={workload.running}
          onChange={(event) => steer.mutate({ running: event.currentTarget.checked })}
        />
      }
    >
      <div className="pad stack" style={{ gap: 12 }}>
        {workload.description && <p className="muted">{workload.description}</p>}
        {isGallery(workload) && (
          <p>
            <Link to="/domains/$domain/gallery" params={{ domain: workload.domain }}>
              Stream its portraits into a page
            </Link>
          </p>
        )}
        {steered ? (
          <>
            <div className="row">
              <Slider
                style={{ flex: 1 }}
                size="sm"
                disabled={fixed}
                aria-label={`Requests per second of ${workload.name}`}
                thumbLabel={`Requests per second of ${workload.name}`}
                min={toSlider(LEAST)}
                max={toSlider(MOST)}
                step={0.01}
                label={null}
                value={toSlider(rate)}
                onChange={(at) => setRate(fromSlider(at))}
                onChangeEnd={(at) => send(fromSlider(at))}
              />
              <span className={`inp ${bad ? "faulty" : ""}`} style={{ width: 112 }}>
                <input
                  inputMode="decimal"
                  disabled={fixed}
                  aria-label={`Requests per second of ${workload.name}, exactly`}
                  aria-invalid={bad || undefined}
                  value={text ?? String(rate)}
                  onChange={(event) => setText(event.target.value)}
                  onBlur={() => text !== null && send(Number(text))}
                  onKeyDown={(event) => event.key === "Enter" && text !== null && send(Number(text))}
                />
                <span className="was">/s</span>
              </span>
            </div>
            {bad && (
              <p className="small" style={{ color: "var(--bad)" }}>
                Enter a rate from {LEAST} to {count(MOST)} per second.
              </p>
            )}
            <Switch
              size="xs"
              label="varies over minutes"
              disabled={fixed}
              checked={workload.varies}
              onChange={(event) => steer.mutate({ varies: event.currentTarget.checked })}
            />
          </>
        ) : (
          <p>
            {planned(workload)}{" "}
            {workload.phases.length > 0 && (
              <span className="muted">Started again, it begins with its first phase.</span>
            )}
          </p>
        )}
        <div className="figures live-data">
          <Figure label="offered">
            <Num value={workload.offeredPerSecond} />
            /s
          </Figure>
          <Figure label="achieved">
            <span className={behind ? "loud" : ""}>
              <Num value={workload.achievedPerSecond} />
              /s
            </span>
          </Figure>
          <Figure label="in flight">
            <Num value={workload.inFlight} />
          </Figure>
          <Figure label="client p50">
            <Ms value={ofRequests(workload.latency.p50Ms, workload.achievedPerSecond)} />
          </Figure>
          <Figure label="client p99">
            <Ms value={ofRequests(workload.latency.p99Ms, workload.achievedPerSecond)} />
          </Figure>
          <Figure label="refused · errors, total">
            <Num value={refused} loud={refusing} /> · <Num value={workload.errors} loud={failing} />
          </Figure>
        </div>
        {workload.dropped > 0 && (
          <p className="small muted">
            {count(workload.dropped)} {workload.dropped === 1 ? "arrival was" : "arrivals were"} dropped here, before
            the pool was asked: too many were in flight.
          </p>
        )}
        {steer.isError && (
          <p role="alert" style={{ color: "var(--bad)" }}>
            {sentence(steer.error)}
          </p>
        )}
      </div>
    </Panel>
  );
}

/** Whether a total has grown within the last 30 s. What was long ago needs nobody's attention. It begins anew with a load that does. */
function useHasGrown(total: number): boolean {
  const last = useRef(total);
  const [grown, setGrown] = useState(false);
  useEffect(() => {
    const grows = total > last.current;
    last.current = total;
    setGrown(grows);
    if (!grows) return;
    const timer = setTimeout(() => setGrown(false), 30_000);
    return () => clearTimeout(timer);
  }, [total]);
  return grown;
}

function Figure({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <span className="muted small">{label}</span>
      <div>{children}</div>
    </div>
  );
}

export function WorkloadList() {
  const workloads = useWorkloads();
  return (
    <>
      {workloads.isError && <Fault error={workloads.error} retry={() => void workloads.refetch()} />}
      {workloads.isSuccess && workloads.data.length === 0 && (
        <p className="panel empty">There are no loads. Start one of your own with ./headgate lab load.</p>
      )}
      <div className="cards-grid">
        {workloads.data?.map((w) => (
          <WorkloadCard key={w.name} workload={w} />
        ))}
      </div>
    </>
  );
}

/** The loads on this domain: the demo's, and those of users. */
export function DomainWorkload({ domain }: { domain: string }) {
  const workloads = useWorkloads();
  return workloads.data
    ?.filter((w) => w.domain === domain)
    .map((w) => <WorkloadCard key={w.name} workload={w} title={w.kind === "demo" ? "Demo load" : w.name} />);
}
