import { Drawer } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { Feed } from "@/features/decisions";
import {
  Charts,
  Clients,
  Connections,
  carried,
  DomainForm,
  DomainHeader,
  type Range,
  RangeBar,
  RemoveDomain,
  rangeOf,
  StatRow,
  searchOf,
} from "@/features/domain";
import { DomainTabs } from "@/features/operate";
import { DomainTable } from "@/features/overview";
import { PolicyEditor, useDraftSize } from "@/features/policies";
import { DomainWorkload } from "@/features/workloads";
import { useLive, usePool, usePools } from "@/stream/hooks";
import { Changes, useMayChange } from "@/ui/role";
import { usePageTitle } from "@/ui/title";

const listApi = getRouteApi("/domains");

export function DomainsRoute() {
  usePageTitle("Domains");
  const pools = usePools();
  const search = listApi.useSearch();
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const setNew = (on: boolean) => void navigate({ to: "/domains", search: on ? { new: true } : {} });
  return (
    <>
      <div className="row">
        <h1>Domains</h1>
        <span className="grow" />
        <Changes>
          <button type="button" className="btn pri" onClick={() => setNew(true)}>
            New domain
          </button>
        </Changes>
      </div>
      {pools.length > 0 ? <DomainTable pools={pools} /> : <p className="panel empty">There is no domain yet.</p>}
      <Drawer
        opened={mayChange && search.new === true}
        onClose={() => setNew(false)}
        position="right"
        size={440}
        title="New domain"
      >
        <DomainForm
          onCancel={() => setNew(false)}
          onMade={(domain) => void navigate({ to: "/domains/$domain", params: { domain } })}
        />
      </Drawer>
    </>
  );
}

const domainApi = getRouteApi("/domains/$domain");

export function DomainRoute() {
  const { domain } = domainApi.useParams();
  usePageTitle(domain);
  const search = domainApi.useSearch();
  const { policy, compare, log } = search;
  const range = useMemo(() => rangeOf(search), [search]);
  const navigate = useNavigate();
  const pool = usePool(domain);
  const known = useLive((s) => s.hasSnapshot);
  const wide = useMediaQuery("(min-width: 1181px)", true, { getInitialValueInEffect: false });
  const scope = { kind: "domain", name: domain } as const;
  const edits = useDraftSize(scope);
  if (known && !pool)
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
      <StatRow domain={domain} />
      <RangeBar
        domain={domain}
        range={range}
        onRange={onRange}
        compare={compare}
        onCompare={(compare, range) => go({ ...searchOf(range), compare })}
        log={log === 1}
        onLog={(on) => go({ log: on ? 1 : undefined }, true)}
      />
      <div className="policy-cols">
        <div className="stack">
          <Charts key={domain} domain={domain} range={range} compare={compare} log={log === 1} onRange={onRange} />
          <Connections key={`c-${domain}`} domain={domain} range={range} />
          <Clients key={`w-${domain}`} domain={domain} />
        </div>
        <div className="stack">
          {wide && <PolicyEditor scope={scope} />}
          <DomainWorkload domain={domain} />
          <Feed domain={domain} most={8} />
          <RemoveDomain domain={domain} onRemoved={() => void navigate({ to: "/" })} />
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
