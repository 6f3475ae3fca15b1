import { useNavigate } from "@tanstack/react-router";

/** For a chart without an explanation of its own: a moment of it leads to the decisions around that moment. */
export function useToDecisions(of: { domain: string } | { database: string }) {
  const navigate = useNavigate();
  return {
    onPick: (time: number) => void navigate({ to: "/decisions", search: { ...of, at: new Date(time).toISOString() } }),
    picking: "leads to the decisions around the moment under the crosshair",
  };
}
