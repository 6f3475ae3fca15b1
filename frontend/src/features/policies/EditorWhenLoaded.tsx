import { usePrefetchQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { policySetQuery, type Scope } from "@/api/policies";
import { loadCode } from "@/ui/loadCode";
import { LoadingPolicySet } from "./Loading";

const Editor = lazy(() =>
  loadCode(() => import("./PolicyEditor")).then(({ PolicyEditor }) => ({ default: PolicyEditor })),
);

/** The policy editor. Its forms are more code than the rest of a page, so the page does not wait for them. */
export function PolicyEditor({ scope }: { scope: Scope }) {
  usePrefetchQuery(policySetQuery(scope));
  return (
    <Suspense fallback={<LoadingPolicySet />}>
      <Editor scope={scope} />
    </Suspense>
  );
}
