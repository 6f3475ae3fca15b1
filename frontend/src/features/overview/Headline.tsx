import { freshness, serverNow } from "@/stream/browser";
import { whenSeen } from "@/stream/freshness";
import { useLive, usePools, useStreamed, useTick } from "@/stream/hooks";
import { headline } from "./headline";

export function OverviewHeadline() {
  useTick(1_000);
  const pools = usePools();
  const databases = useLive((s) => s.databases());
  if (!useStreamed().isSuccess) return <h1 className="muted">Waiting for the first data…</h1>;
  const { tone, text, aside } = headline(pools, databases, serverNow());
  return (
    <div className="row base wrap headline" data-tone={tone}>
      <h1 data-testid="headline">{whenSeen(text, freshness().level)}</h1>
      {aside && <span className="muted">{aside}</span>}
    </div>
  );
}
