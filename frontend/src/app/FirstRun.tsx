import { lazy, Suspense, useEffect, useState } from "react";
import { usePools, useStreamed } from "@/stream/hooks";
import { loadCode } from "@/ui/loadCode";
import { useMayChange } from "@/ui/role";
import { isShown, keep, readKept } from "./firstRun";

/** Its forms are loaded where it is shown. */
const Guide = lazy(() => loadCode(() => import("./Guide")).then(({ Guide }) => ({ default: Guide })));

/** The guide of a new service. Nothing where it is not needed, closed, or of no use to a reader. */
export function FirstRun() {
  const streamed = useStreamed().isSuccess;
  const domains = usePools().length;
  const mayChange = useMayChange();
  const [kept, setKept] = useState(readKept);
  const shown = mayChange && streamed && isShown(kept, domains);
  useEffect(() => {
    if (!shown || kept !== null) return;
    keep("begun");
    setKept("begun");
  }, [shown, kept]);
  if (!shown) return null;
  const close = () => {
    keep("closed");
    setKept("closed");
  };
  return (
    <Suspense fallback={null}>
      <Guide onClose={close} />
    </Suspense>
  );
}
