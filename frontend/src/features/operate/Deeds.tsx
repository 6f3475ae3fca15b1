import { useMemo } from "react";
import { type Deed, useDeed } from "@/api/leases";
import { Confirm } from "@/ui/Confirm";
import { questionOf } from "./words";

/** The question before a deed, and the deed. It names what stood there when the operator pressed the button. */
export function Deeds({ domain, deed, onClose }: { domain: string; deed: Deed | null; onClose: () => void }) {
  const act = useDeed(domain);
  const question = useMemo(() => (deed ? questionOf(deed) : null), [deed]);
  const close = () => {
    act.reset();
    onClose();
  };
  return (
    <Confirm
      question={question}
      busy={act.isPending}
      error={act.error}
      onConfirm={() => deed && act.mutate(deed, { onSuccess: close })}
      onClose={close}
    />
  );
}
