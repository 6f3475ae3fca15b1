import { useQuery } from "@tanstack/react-query";
import { shadowQuery, useEndShadow } from "@/api/rehearsal";
import type { PolicySet } from "@/api/types";
import { stamp } from "@/format/format";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Changes } from "@/ui/role";
import { shadowSentence } from "./shadowSentence";

type Props = { domain: string; onTake: (set: PolicySet) => void };

/** The shadow set and how it compares with the live one. Renders nothing if there is none. */
export function ShadowView({ domain, onTake }: Props) {
  const zone = useZone();
  const shadow = useQuery(shadowQuery(domain));
  const end = useEndShadow(domain);
  const set = shadow.data;
  if (!set) return null;
  return (
    <div className="note" data-testid="shadow" style={{ margin: "12px 16px 0" }}>
      <p className="small">
        <b>Shadow set</b> by {set.actor} since {stamp(set.createdAt, zone)}. {shadowSentence(set)}
      </p>
      {set.degraded && <p className="small">{set.degraded}</p>}
      {end.isError && <Fault error={end.error} />}
      <Changes>
        <div className="row" style={{ gap: 8, marginTop: 6 }}>
          <button type="button" className="btn small" onClick={() => onTake(set.policySet)}>
            Use as draft
          </button>
          <button type="button" className="btn small" disabled={end.isPending} onClick={() => end.mutate()}>
            End the shadow
          </button>
        </div>
      </Changes>
    </div>
  );
}
