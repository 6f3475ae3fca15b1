import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { DomainForm } from "@/features/domain/DomainForm";
import { DomainTable, FilterBar, found, groupingOf } from "@/features/overview";
import { usePools, useRows, useStreamed } from "@/stream/hooks";
import { Empty } from "@/ui/Empty";
import { Drawer } from "@/ui/layers";
import { Changes, useMayChange } from "@/ui/role";
import { usePageTitle } from "@/ui/title";

const listApi = getRouteApi("/domains");

export function DomainsRoute() {
  usePageTitle("Domains");
  const rows = useRows();
  const streamed = useStreamed();
  const none = usePools().length === 0;
  const search = listApi.useSearch();
  const group = groupingOf(search.group);
  const shown = useMemo(() => found(rows, search.q), [rows, search.q]);
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const setNew = (on: boolean) => void navigate({ to: "/domains", search: { ...search, new: on ? true : undefined } });
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
      {none ? (
        <Empty of={streamed} className="panel">
          There is no domain yet.
        </Empty>
      ) : (
        <>
          <FilterBar
            pools={rows}
            q={search.q}
            group={group}
            onChange={(change) => void navigate({ to: "/domains", search: { ...search, ...change }, replace: true })}
          />
          {shown.length > 0 || rows.length === 0 ? (
            <DomainTable pools={shown} group={group} />
          ) : (
            <p className="panel empty">No domain fits “{search.q}”.</p>
          )}
        </>
      )}
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
