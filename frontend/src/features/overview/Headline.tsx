import { freshness } from "@/stream/browser";
import { whenSeen } from "@/stream/freshness";
import { useLive, useNow, usePools, useStreamed } from "@/stream/hooks";
import { headline } from "./headline";

export function OverviewHeadline() {
  const now = useNow();
  const pools = usePools();
  const databases = useLive((s) => s.databases());
  if (!useStreamed().isSuccess) return <h1 className="muted">Waiting for the first data…</h1>;
  const { tone, text, aside } = headline(pools, databases, now);
  return (
    <div className="row base wrap headline" data-tone={tone}>
      <h1 data-testid="headline">{whenSeen(text, freshness().level)}</h1>
      {aside && <span className="muted">{aside}</span>}
    </div>
  );
}
