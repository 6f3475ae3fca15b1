import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { shadowQuery, useEndShadow } from "@/api/rehearsal";
import type { PolicySet, ShadowSet } from "@/api/types";
import { stamp } from "@/format/format";
import { Confirm, type Question } from "@/ui/Confirm";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Changes } from "@/ui/role";
import { shadowSentence } from "./shadowSentence";
import { useShadowQuestion } from "./useShadowQuestion";

type Props = {
  domain: string;
  /** The one that was begun on this page. */
  mine: ShadowSet | undefined;
  onTake: (set: PolicySet) => void;
};

/** The shadow set and how it compares with the live one. Renders nothing if there is none. */
export function ShadowView({ domain, mine, onTake }: Props) {
  const zone = useZone();
  const shadow = useQuery(shadowQuery(domain));
  const end = useEndShadow(domain);
  const questionBefore = useShadowQuestion(domain, mine);
  const [question, setQuestion] = useState<Question | null>(null);
  const set = shadow.data;
  if (!set) return null;
  const ask = async () => {
    const asked = await questionBefore("end");
    if (asked) setQuestion(asked);
    else end.mutate();
  };
  return (
    <div className="note" data-testid="shadow" style={{ margin: "12px 16px 0" }}>
      <p className="small">
        <b>Shadow set</b> by {set.actor} since {stamp(set.createdAt, zone)}. {shadowSentence(set)}
      </p>
      {set.degraded && <p className="small">{set.degraded}</p>}
      {end.isError && <Fault error={end.error} />}
      <Confirm
        question={question}
        busy={end.isPending}
        onConfirm={() => end.mutate(undefined, { onSettled: () => setQuestion(null) })}
        onClose={() => setQuestion(null)}
      />
      <Changes>
        <div className="row" style={{ gap: 8, marginTop: 6 }}>
          <button type="button" className="btn small" onClick={() => onTake(set.policySet)}>
            Use as draft
          </button>
          <button type="button" className="btn small" disabled={end.isPending} onClick={() => void ask()}>
            End the shadow
          </button>
        </div>
      </Changes>
    </div>
  );
}
