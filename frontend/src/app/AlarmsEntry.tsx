import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { unattendedQuery } from "@/api/alarms";
import { live } from "@/stream/browser";

/** The entry of the alarms in the navigation, with the number of those that nobody has attended to. */
export function AlarmsEntry() {
  useAlarmNews();
  const number = useQuery(unattendedQuery).data ?? 0;
  return (
    <Link to="/alarms" activeOptions={{ exact: true, includeSearch: false }}>
      Alarms{" "}
      {number > 0 && (
        <span className="n alarmed" data-testid="unattended">
          <span>{number}</span>
          <span className="sr-only"> unattended</span>
        </span>
      )}
    </Link>
  );
}

/** Fetches alarms and annotations again when the service says that they have changed. */
function useAlarmNews() {
  const queries = useQueryClient();
  useEffect(
    () =>
      live.onEvent(({ event }) => {
        if (event === "alarms") void queries.invalidateQueries({ queryKey: ["alarms"] });
        if (event === "annotation") void queries.invalidateQueries({ queryKey: ["annotations"] });
      }),
    [queries],
  );
}
