import { type FormEvent, useState } from "react";
import { useChangeDomain } from "@/api/domains";
import { Problem } from "@/api/problem";
import type { Domain } from "@/api/types";
import { Modal } from "@/ui/layers";
import { SettingsForm } from "@/ui/SettingsForm";
import { LabelRows, useLabelRows } from "./LabelRows";

type Props = { domain: Domain; opened: boolean; onClose: () => void };

/** Changes the labels of a domain. */
export function LabelSettings({ domain, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} size={560} title={`Labels of ${domain.name}`}>
      <LabelForm domain={domain} onDone={onClose} />
    </Modal>
  );
}

function LabelForm({ domain, onDone }: { domain: Domain; onDone: () => void }) {
  const change = useChangeDomain(domain.name);
  const [before] = useState(domain.labels);
  const labels = useLabelRows(before);
  const faults = labels.faults(change.error instanceof Problem ? change.error : null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = labels.checked();
    if (!wanted) return;
    if (same(wanted, before)) onDone();
    else change.mutate({ labels: merged(before, wanted, domain.labels) }, { onSuccess: onDone });
  };

  return (
    <SettingsForm
      about="Labels group domains, and filters find them. The pool is the same with any."
      managedBy={domain.managedBy}
      error={faults.some(Boolean) ? null : change.error}
      saving={change.isPending}
      onSubmit={submit}
      onCancel={onDone}
    >
      <LabelRows labels={labels} faults={faults} />
    </SettingsForm>
  );
}

type LabelMap = Readonly<Record<string, string>>;

/** What the form changed, on the labels of now: a change replaces them all, and would take back somebody else's. */
function merged(before: LabelMap, wanted: LabelMap, now: LabelMap): Record<string, string> {
  const left = Object.entries(now).filter(([name]) => !Object.hasOwn(before, name) || Object.hasOwn(wanted, name));
  const changed = Object.entries(wanted).filter(([name, value]) => before[name] !== value);
  return Object.fromEntries([...left, ...changed]);
}

function same(a: LabelMap, b: LabelMap): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
