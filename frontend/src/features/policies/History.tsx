import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { revisionsQuery, type Scope, useRestore } from "@/api/policies";
import { Problem, sentence } from "@/api/problem";
import type { PolicySetRevision } from "@/api/types";
import { stamp } from "@/format/format";
import { serverNow } from "@/stream/browser";
import { Confirm, type Question } from "@/ui/Confirm";
import { Drawer } from "@/ui/layers";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { useMayChange } from "@/ui/role";
import { beforeAndAfter } from "./beforeAndAfter";
import { Diff } from "./Diff";
import { useQuestion } from "./useQuestion";

type Props = {
  scope: Scope;
  current: PolicySetRevision;
  opened: boolean;
  onClose: () => void;
  onRestored: (taken: PolicySetRevision) => void;
};

/**
 * Lists every revision with its changes. Any two can be compared, and a domain's charts show the time before and after one. Restoring
 * one makes a new revision.
 */
export function HistoryDrawer({ scope, current, opened, onClose, onRestored }: Props) {
  const zone = useZone();
  const revisions = useQuery({ ...revisionsQuery(scope), enabled: opened });
  const restore = useRestore(scope);
  const mayChange = useMayChange();
  const items = revisions.data ?? [];
  const questionBefore = useQuestion(scope);
  /** `over` is the revision in force that the question was asked of: nothing else is replaced by the answer. */
  const [asked, setAsked] = useState<{
    wanted: PolicySetRevision;
    over: PolicySetRevision;
    question: Question;
  } | null>(null);
  const ask = async (wanted: PolicySetRevision) => {
    restore.reset();
    const question = await questionBefore(wanted.policySet, current, { restores: wanted.revision, always: true });
    if (question) setAsked({ wanted, over: current, question });
  };
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={460} title={`History of ${scope.name}`}>
      {revisions.isError && <Fault error={revisions.error} retry={() => void revisions.refetch()} />}
      {restore.isError && (
        <p className="note bad" role="alert">
          {restore.error instanceof Problem && restore.error.status === 412
            ? "Someone else changed the set; nothing was restored. Check the newest revision first."
            : sentence(restore.error)}
        </p>
      )}
      <Confirm
        question={asked?.question ?? null}
        busy={restore.isPending}
        onConfirm={() =>
          asked &&
          restore.mutate(
            { revision: asked.wanted.revision, current: asked.over.revision },
            { onSuccess: onRestored, onSettled: () => setAsked(null) },
          )
        }
        onClose={() => setAsked(null)}
      >
        {asked && <Diff from={asked.over.policySet} to={asked.wanted.policySet} />}
      </Confirm>
      {items.length > 1 && <CompareTwo revisions={items} />}
      <ol className="revisions">
        {items.map((revision, i) => {
          const before = items[i + 1];
          const charts = scope.kind === "domain" && beforeAndAfter(revision, before, items[i - 1], serverNow());
          return (
            <li key={revision.revision}>
              <div className="row wrap" style={{ gap: 8 }}>
                <b>rev {revision.revision}</b>
                {revision.revision === current.revision && <span className="chip acc">live</span>}
                {revision.restoredFrom != null && (
                  <span className="chip">restored from rev {revision.restoredFrom}</span>
                )}
                <span className="grow" />
                {mayChange && revision.revision !== current.revision && current.managedBy === null && (
                  <button
                    type="button"
                    className="btn small"
                    disabled={restore.isPending}
                    onClick={() => void ask(revision)}
                  >
                    Restore as rev {current.revision + 1}
                  </button>
                )}
              </div>
              <p className="muted small">
                {revision.createdAt ? stamp(revision.createdAt, zone) : "at the start"}
                {revision.actor ? ` by ${revision.actor}` : ""}
                {revision.comment ? ` · ${revision.comment}` : ""}
              </p>
              {revision.unjudged && (
                <p className="muted small">Its probation ended without a judgement. {revision.unjudged}</p>
              )}
              <Diff from={before?.policySet ?? { policies: [] }} to={revision.policySet} />
              {charts && (
                <p className="small">
                  <Link to="/domains/$domain" params={{ domain: scope.name }} search={charts} onClick={onClose}>
                    Charts before and after
                  </Link>
                </p>
              )}
            </li>
          );
        })}
      </ol>
    </Drawer>
  );
}

/** The difference between any two revisions, the newest two at first. */
function CompareTwo({ revisions }: { revisions: readonly PolicySetRevision[] }) {
  const [from, setFrom] = useState<number | null>(null);
  const [to, setTo] = useState<number | null>(null);
  const [a, b] = [from ?? revisions[1]?.revision, to ?? revisions[0]?.revision];
  const setOf = (wanted: number | undefined) => revisions.find((each) => each.revision === wanted)?.policySet;
  const [before, after] = [setOf(a), setOf(b)];
  const choice = (label: string, value: number | undefined, choose: (revision: number) => void) => (
    <span className="inp">
      <select aria-label={label} value={value} onChange={(event) => choose(Number(event.target.value))}>
        {revisions.map(({ revision }) => (
          <option key={revision} value={revision}>
            rev {revision}
          </option>
        ))}
      </select>
    </span>
  );
  return (
    <section className="stack compare-two" aria-label="Compare two revisions">
      <div className="row" style={{ gap: 8 }}>
        <span className="muted small">From</span>
        {choice("From revision", a, setFrom)}
        <span className="muted small">to</span>
        {choice("To revision", b, setTo)}
      </div>
      {before && after && <Diff from={before} to={after} />}
    </section>
  );
}
