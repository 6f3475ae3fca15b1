import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { AlarmList } from "@/features/alarms";
import { AuditLog } from "@/features/audit";
import { Log } from "@/features/decisions";
import { PluginList } from "@/features/plugins";
import { WorkloadList } from "@/features/workloads";
import { useAllEvents } from "@/stream/hooks";
import { usePageTitle } from "@/ui/title";

const decisionsApi = getRouteApi("/decisions");
const alarmsApi = getRouteApi("/alarms");

export function DecisionsRoute() {
  usePageTitle("Decisions");
  const { open, ...filter } = decisionsApi.useSearch();
  const navigate = useNavigate();
  return (
    <>
      <h1>Decisions</h1>
      <Log
        filter={filter}
        open={open}
        onFilter={(search) => void navigate({ to: "/decisions", search, replace: true })}
      />
    </>
  );
}

export function AlarmsRoute() {
  const { domain, alarm } = alarmsApi.useSearch();
  usePageTitle("Alarms");
  const navigate = useNavigate();
  return (
    <>
      <h1>Alarms</h1>
      <AlarmList
        filter={{ domain, code: alarm }}
        onFilter={({ domain, code }) =>
          void navigate({ to: "/alarms", search: { domain, alarm: code }, replace: true })
        }
      />
    </>
  );
}

export function PluginsRoute() {
  usePageTitle("Plugins");
  useAllEvents();
  return (
    <>
      <h1>Plugins</h1>
      <PluginList />
    </>
  );
}

export function WorkloadsRoute() {
  usePageTitle("Workloads");
  return (
    <>
      <div className="row base wrap">
        <h1>Workloads</h1>
        <span className="muted">
          Demo loads with open-loop arrivals. The client measures latency from the scheduled arrival.
        </span>
      </div>
      <WorkloadList />
    </>
  );
}

export function AuditRoute() {
  usePageTitle("Audit");
  useAllEvents();
  return (
    <>
      <h1>Audit</h1>
      <AuditLog />
    </>
  );
}
