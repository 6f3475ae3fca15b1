import { Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { explanationQuery } from "@/api/log";
import { clock, count, duration, stamp } from "@/format/format";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";

type Props = { domain: string; at: number | null; onClose: () => void };

/** Explains why requests waited or were refused at one instant: measurements and decisions side by side. */
export function Why({ domain, at, onClose }: Props) {
  const zone = useZone();
  const explanation = useQuery(explanationQuery(domain, at));
  const why = explanation.data;
  const moment = why?.moment;
  return (
    <Modal
      opened={at !== null}
      onClose={onClose}
      size={640}
      title={at === null ? "" : `${domain} at ${clock(at, zone)}`}
    >
      {explanation.isError && <Fault error={explanation.error} retry={() => void explanation.refetch()} />}
      {explanation.isPending && at !== null && <p className="muted">Looking it up…</p>}
      {why && (
        <div data-testid="why">
          <p>
            <b>{why.sentence}</b>
          </p>
          {moment && (
            <dl className="facts" style={{ marginTop: 12 }}>
              <dt>in use / open</dt>
              <dd>
                {moment.inUse?.toFixed(1)} of {count(moment.size)}
              </dd>
              <dt>floor to ceiling</dt>
              <dd>
                {count(moment.floor)} to {count(moment.ceiling)}
              </dd>
              <dt>waiting, wait p99</dt>
              <dd>
                {count(moment.waiting)}, {duration(moment.waitP99Ms)}
              </dd>
              <dt>latency mean, p99</dt>
              <dd>
                {duration(moment.meanMs)}, {duration(moment.p99Ms)}
              </dd>
            </dl>
          )}
          <h3 style={{ margin: "14px 0 6px" }}>Decisions within one second</h3>
          {why.decisions.map((decision) => (
            <p key={decision.id} className="small" style={{ marginBottom: 6 }}>
              <span className="mono faint">{stamp(decision.time, zone).slice(-8)}</span>{" "}
              <span className="chip">{decision.kind}</span> {decision.message}
            </p>
          ))}
          {why.decisions.length === 0 && <p className="faint">Nothing changed and nothing was refused.</p>}
          {why.standing && (
            <>
              <h3 style={{ margin: "14px 0 6px" }}>In force since {stamp(why.standing.time, zone)}</h3>
              <p className="small">
                rev {why.standing.revision}: {why.standing.message}
              </p>
            </>
          )}
        </div>
      )}
    </Modal>
  );
}
