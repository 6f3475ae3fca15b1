import { whenSeen } from "@/stream/freshness";
import { useFreshnessLevel, useNow } from "@/stream/hooks";
import type { LiveDatabase } from "@/stream/schemas";
import { detailOf, toneOf, withAge } from "@/ui/health";

/** The state of a database in a sentence, unless it is fine. @param ofNow what the sentence begins with */
export function StateNote({
  database,
  ofNow = "",
}: {
  database: Pick<LiveDatabase, "health" | "alarms">;
  ofNow?: string;
}) {
  const now = useNow();
  const level = useFreshnessLevel();
  const tone = toneOf(database.health);
  if (tone === "good") return null;
  const said = whenSeen(withAge(database.health, now), level);
  return (
    <p className={`note live-data ${tone === "quiet" ? "" : tone}`}>
      {ofNow}
      {[said, detailOf(database)].filter(Boolean).join(": ")}
    </p>
  );
}
