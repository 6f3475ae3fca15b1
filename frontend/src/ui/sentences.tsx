import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/**
 * A decision's sentence with the domains' names in bold. Names other than the subject's are links. `plain` omits the
 * links: a control such as a summary must not contain any.
 */
export function DecisionSentence({
  message,
  domains,
  subject,
  plain = false,
}: {
  message: string;
  domains: readonly string[];
  subject?: string | null;
  plain?: boolean;
}) {
  return <>{mark(message, domains, plain, subject)}</>;
}

function mark(message: string, domains: readonly string[], plain: boolean, subject?: string | null): ReactNode[] {
  if (domains.length === 0) return [message];
  const pattern = new RegExp(`(?<![\\w-])(${domains.map((d) => d.replaceAll("-", "\\-")).join("|")})(?![\\w-])`, "g");
  return message.split(pattern).map((part, i) => {
    const key = `${i}:${part}`;
    if (i % 2 === 0) return part;
    if (plain || part === subject) return <b key={key}>{part}</b>;
    return (
      <Link key={key} to="/domains/$domain" params={{ domain: part }} style={{ color: "inherit" }}>
        <b>{part}</b>
      </Link>
    );
  });
}
