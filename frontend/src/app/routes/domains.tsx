import { useMediaQuery } from "@mantine/hooks";
import { getRouteApi, useMatchRoute, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import { Feed } from "@/features/decisions/Feed";
import {
  Charts,
  Clients,
  Connections,
  carried,
  DomainHeader,
  RangeBar,
  RemoveDomain,
  StatRow,
} from "@/features/domain";
import { DomainTabs } from "@/features/operate/DomainTabs";
import { forgetDraft, PolicyEditor, useDraftSize } from "@/features/policies";
import { RangeRow } from "@/range/RangeRow";
import { type Range, rangeOf, searchOf } from "@/range/range";
import { useKnown, usePool } from "@/stream/hooks";
import { Drawer } from "@/ui/layers";
import { loadCode } from "@/ui/loadCode";
import { usePageTitle } from "@/ui/title";

/** Only the demo's domains have one. */
const DomainWorkload = lazy(() =>
  loadCode(() => import("@/features/workloads")).then(({ DomainWorkload }) => ({ default: DomainWorkload })),
);

const domainApi = getRouteApi("/domains/$domain");

export function DomainRoute() {
  const { domain } = domainApi.useParams();
  usePageTitle(domain);
  const search = domainApi.useSearch();
  const { policy, compare, log } = search;
  const range = useMemo(() => rangeOf(search), [search]);
  const navigate = useNavigate();
  const isAt = useMatchRoute();
  const known = useKnown(domain);
  usePool(domain); // in full, also for the charts
  const wide = useMediaQuery("(min-width: 1181px)", true, { getInitialValueInEffect: false });
  const scope = { kind: "domain", name: domain } as const;
  const edits = useDraftSize(scope);
  if (!known)
    return (
      <div className="panel empty">
        <h1>There is no domain called {domain}</h1>
        <p>It may have been removed, or it is still being created.</p>
      </div>
    );
  const go = (change: Partial<typeof search>, replace = false) =>
    void navigate({ to: "/domains/$domain", params: { domain }, search: { ...search, ...change }, replace });
  const onRange = (next: Range) => go({ ...searchOf(next), compare: carried(compare, range, next) }); // a step of the browser's history
  return (
    <>
      <DomainHeader domain={domain} />
      <DomainTabs domain={domain} />
      <StatRow domain={domain} range={range} />
      <RangeBar
        domain={domain}
        range={range}
        onRange={onRange}
        compare={compare}
        onCompare={(compare, range) => go({ ...searchOf(range), compare })}
        log={log === 1}
        onLog={(on) => go({ log: on ? 1 : undefined }, true)}
      />
      <RangeRow domain={domain} range={range} />
      <div className="policy-cols">
        <div className="stack">
          <Charts key={domain} domain={domain} range={range} compare={compare} log={log === 1} onRange={onRange} />
          <Connections key={`c-${domain}`} domain={domain} range={range} />
          <Clients key={`w-${domain}`} domain={domain} />
        </div>
        <div className="stack">
          {wide && <PolicyEditor scope={scope} />}
          <Suspense fallback={null}>
            <DomainWorkload domain={domain} />
          </Suspense>
          <Feed domain={domain} most={8} />
          <RemoveDomain
            domain={domain}
            onRemoved={() => {
              forgetDraft(scope);
              if (isAt({ to: "/domains/$domain", params: { domain } })) void navigate({ to: "/" });
            }}
          />
        </div>
      </div>
      {!wide && (
        <>
          <div className="policy-open">
            <button type="button" className="btn pri" onClick={() => go({ policy: true }, true)}>
              Policy{edits > 0 ? ` · ${edits} changed` : ""}
            </button>
          </div>
          <Drawer
            opened={policy === true}
            onClose={() => go({ policy: undefined }, true)}
            position="bottom"
            size="82%"
            title={domain}
            classNames={{ body: "sheet" }}
          >
            <PolicyEditor scope={scope} />
          </Drawer>
        </>
      )}
    </>
  );
}
