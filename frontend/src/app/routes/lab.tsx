import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { CompareRuns, Lab, Run } from "@/features/lab";
import { usePageTitle } from "@/ui/title";

const labApi = getRouteApi("/lab");

export function LabRoute() {
  usePageTitle("Lab");
  const { start, like } = labApi.useSearch();
  const navigate = useNavigate();
  return (
    <>
      <div className="row base wrap">
        <h1>Lab</h1>
        <span className="muted">
          Experiments on this machine, one at a time. Each asks a question and keeps its answer.
        </span>
      </div>
      <Lab
        start={start}
        like={like?.toString()}
        onStart={(experiment) => void navigate({ to: "/lab", search: { start: experiment } })}
      />
    </>
  );
}

const runApi = getRouteApi("/lab/runs/$id");

export function LabRunRoute() {
  const { id } = runApi.useParams();
  usePageTitle(`Run ${id}`);
  return <Run key={id} id={id} />;
}

const compareApi = getRouteApi("/lab/compare");

export function LabCompareRoute() {
  const { first, second } = compareApi.useSearch();
  usePageTitle("Comparison of runs");
  const id = (run: number | undefined) => run?.toString();
  return <CompareRuns first={id(first)} second={id(second)} />;
}
