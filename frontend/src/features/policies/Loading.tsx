export const LoadingPolicySet = () => <aside className="panel policy pad muted">Loading the policy set…</aside>;
