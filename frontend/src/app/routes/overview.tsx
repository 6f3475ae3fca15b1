import { Link } from "@tanstack/react-router";
import { Feed } from "@/features/decisions";
import { BudgetBars, DomainTable, Multiples, OverviewHeadline } from "@/features/overview";
import { useLive, usePools } from "@/stream/hooks";
import { Changes } from "@/ui/role";
import { usePageTitle } from "@/ui/title";
import { FirstRun } from "../FirstRun";

export function OverviewRoute() {
  usePageTitle("Overview");
  const pools = usePools();
  const databases = useLive((s) => s.databases());
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
      <BudgetBars databases={databases} pools={pools} />
      {pools.length > 0 && <DomainTable pools={pools} />}
      {pools.length > 0 && (
        <div className="overview-cols">
          <Multiples pools={pools} />
          <Feed most={9} />
        </div>
      )}
    </>
  );
}
