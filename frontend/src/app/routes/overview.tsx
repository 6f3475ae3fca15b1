import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { Feed } from "@/features/decisions/Feed";
import {
  BudgetBars,
  DomainTable,
  FilterBar,
  found,
  groupingOf,
  Multiples,
  OverviewHeadline,
} from "@/features/overview";
import { useLive, useRows } from "@/stream/hooks";
import { Changes } from "@/ui/role";
import { usePageTitle } from "@/ui/title";
import { FirstRun } from "../FirstRun";

const api = getRouteApi("/");

export function OverviewRoute() {
  usePageTitle("Overview");
  const rows = useRows();
  const databases = useLive((s) => s.databases());
  const search = api.useSearch();
  const navigate = useNavigate();
  const { q } = search;
  const group = groupingOf(search.group);
  const shown = useMemo(() => found(rows, q), [rows, q]);
  return (
    <>
      <div className="row wrap">
        <OverviewHeadline />
        <span className="grow" />
        <Changes>
          <Link to="/domains" search={{ new: true }} className="btn">
            New domain
          </Link>
        </Changes>
      </div>
      <FirstRun />
      <BudgetBars databases={databases} pools={rows} />
      {rows.length > 0 && (
        <>
          <FilterBar
            pools={rows}
            q={q}
            group={group}
            onChange={(change) => void navigate({ to: "/", search: { ...search, ...change }, replace: true })}
          />
          {shown.length > 0 ? (
            <DomainTable pools={shown} group={group} />
          ) : (
            <p className="panel empty">No domain fits “{q}”.</p>
          )}
          <div className="overview-cols">
            <Multiples pools={shown} />
            <Feed most={9} />
          </div>
        </>
      )}
    </>
  );
}
