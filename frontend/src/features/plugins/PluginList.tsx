import { Link } from "@tanstack/react-router";
import { usePlugins } from "@/api/policies";
import type { PolicyPlugin } from "@/api/types";
import { Fault, Panel } from "@/ui/parts";

/** What is installed, where it came from, and who relies on it. */
export function PluginList() {
  const plugins = usePlugins();
  if (plugins.isError) return <Fault error={plugins.error} retry={() => void plugins.refetch()} />;
  if (plugins.data?.length === 0) return <p className="panel empty">No policy plugin is installed.</p>;
  return (
    <div className="cards-grid">
      {plugins.data?.map((plugin) => (
        <PluginCard key={plugin.id} plugin={plugin} />
      ))}
    </div>
  );
}

function PluginCard({ plugin }: { plugin: PolicyPlugin }) {
  const properties = Object.entries(
    (plugin.parameterSchema as { properties?: Record<string, Record<string, unknown>> }).properties ?? {},
  );
  return (
    <Panel title={plugin.id} aside={<span className="chip">{plugin.version}</span>}>
      <div className="pad stack" style={{ gap: 12 }}>
        <p>{plugin.description}</p>
        <table>
          <tbody>
            {properties.map(([name, property]) => (
              <tr key={name}>
                <td className="mono" style={{ paddingLeft: 0 }}>
                  {name}
                </td>
                <td className="muted" style={{ whiteSpace: "normal" }}>
                  {inWords(property)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <dl className="facts small">
          <dt>source</dt>
          <dd>{plugin.source ?? "–"}</dd>
          <dt>sha256</dt>
          <dd className="mono" style={{ overflowWrap: "anywhere" }}>
            {plugin.sha256 ?? "–"}
          </dd>
          <dt>used by</dt>
          <dd>
            {plugin.usedBy.length === 0 ? (
              <span className="faint">nobody</span>
            ) : (
              plugin.usedBy.map((user, i) => (
                <span key={user}>
                  {i > 0 && ", "}
                  <Link to="/domains/$domain" params={{ domain: user }}>
                    {user}
                  </Link>
                </span>
              ))
            )}
          </dd>
        </dl>
        <details>
          <summary className="muted">Parameter schema</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
          <pre className="json" tabIndex={0}>
            {JSON.stringify(plugin.parameterSchema, null, 2)}
          </pre>
        </details>
      </div>
    </Panel>
  );
}

function inWords({
  description,
  title,
  type,
  minimum,
  maximum,
  enum: options,
  default: preset,
}: Record<string, unknown>): string {
  const range = Array.isArray(options)
    ? options.join(", ")
    : minimum !== undefined || maximum !== undefined
      ? `${minimum ?? ""}..${maximum ?? ""}`
      : String(type ?? "");
  return [description ?? title, range, preset !== undefined ? `default ${preset}` : null].filter(Boolean).join(" · ");
}
