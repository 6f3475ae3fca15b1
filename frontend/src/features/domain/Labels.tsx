import { lazy, Suspense, useState } from "react";
import type { Domain } from "@/api/types";
import { loadCode } from "@/ui/loadCode";
import { Changes } from "@/ui/role";

/** Loaded when it is first opened. */
const LabelSettings = lazy(() =>
  loadCode(() => import("./LabelSettings")).then(({ LabelSettings }) => ({ default: LabelSettings })),
);

/** The domain's labels, and the button that opens their form. */
export function Labels({ domain }: { domain: Domain }) {
  const [opened, setOpened] = useState<boolean>();
  return (
    <span className="labels">
      {Object.entries(domain.labels).map(([name, value]) => (
        <span key={name} className="chip">
          {name}:{value}
        </span>
      ))}
      <Changes>
        <button type="button" className="btn small" onClick={() => setOpened(true)}>
          Labels…
        </button>
      </Changes>
      {opened !== undefined && (
        <Suspense fallback={null}>
          <LabelSettings domain={domain} opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </span>
  );
}
