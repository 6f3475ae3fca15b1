import { Link } from "@tanstack/react-router";
import "./tabs.css";

const TABS = [
  ["/domains/$domain", "Pool"],
  ["/domains/$domain/connections", "Connections"],
  ["/domains/$domain/leases", "Leases and waiters"],
  ["/domains/$domain/clients", "Clients"],
  ["/domains/$domain/log", "Log"],
] as const;

/** The pages of a domain. */
export function DomainTabs({ domain }: { domain: string }) {
  return (
    <nav className="tabs" aria-label={`Pages of ${domain}`}>
      {TABS.map(([to, text]) => (
        <Link
          key={to}
          to={to}
          params={{ domain }}
          activeOptions={{ exact: to === "/domains/$domain", includeSearch: false }}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
