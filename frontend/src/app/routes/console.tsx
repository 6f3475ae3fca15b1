import { getRouteApi, Link } from "@tanstack/react-router";
import { Console } from "@/features/console";
import { useKnown } from "@/stream/hooks";
import { usePageTitle } from "@/ui/title";

const api = getRouteApi("/domains/$domain/console");

export function ConsoleRoute() {
  const { domain } = api.useParams();
  const known = useKnown(domain);
  usePageTitle(`SQL console of ${domain}`);
  if (!known) return <p className="panel empty">There is no domain called {domain}.</p>;
  return (
    <>
      <div className="row wrap">
        <h1>SQL console of {domain}</h1>
        <span className="muted">Statements pass the gate of {domain} and count like those of any other caller.</span>
        <span className="grow" />
        <Link to="/domains/$domain" params={{ domain }} className="btn">
          Back to {domain}
        </Link>
      </div>
      <Console key={domain} domain={domain} />
    </>
  );
}
