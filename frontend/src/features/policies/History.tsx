import { Drawer } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { revisionsQuery, type Scope, useRestore } from "@/api/policies";
import { Problem, sentence } from "@/api/problem";
import type { PolicySetRevision } from "@/api/types";
import { stamp } from "@/format/format";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Diff } from "./Diff";

type Props = { scope: Scope; current: PolicySetRevision; opened: boolean; onClose: () => void };

/** Lists every revision with its changes. Restoring one makes a new revision. */
export function HistoryDrawer({ scope, current, opened, onClose }: Props) {
  const zone = useZone();
  const revisions = useQuery({ ...revisionsQuery(scope), enabled: opened });
  const restore = useRestore(scope);
  const items = revisions.data ?? [];
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
      <ol className="revisions">
        {items.map((revision, i) => {
          const before = items[i + 1];
          return (
            <li key={revision.revision}>
              <div className="row wrap" style={{ gap: 8 }}>
                <b>rev {revision.revision}</b>
                {revision.revision === current.revision && <span className="chip acc">live</span>}
                {revision.restoredFrom != null && (
                  <span className="chip">restored from rev {revision.restoredFrom}</span>
                )}
                <span className="grow" />
                {revision.revision !== current.revision && current.managedBy === null && (
                  <button
                    type="button"
                    className="btn small"
                    disabled={restore.isPending}
                    onClick={() => restore.mutate({ revision: revision.revision, current: current.revision })}
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
              <Diff from={before?.policySet ?? { policies: [] }} to={revision.policySet} />
            </li>
          );
        })}
      </ol>
    </Drawer>
  );
}
