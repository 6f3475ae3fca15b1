import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAdoptPlugin, usePlanAdoption, useRemovePlugin } from "@/api/plugins";
import { usePlugins } from "@/api/policies";
import { sentence } from "@/api/problem";
import type { Adoption, PolicyPlugin } from "@/api/types";
import { Confirm, type Question } from "@/ui/Confirm";
import { Chip, Fault, Panel } from "@/ui/parts";
import { Changes } from "@/ui/role";
import { Upload } from "./Upload";
import { drifts, type Group, groups, keptBecause, movable, moving, short, staying, told, userOf } from "./versions";

/** How what was asked of a plugin ended. */
type Message = { text: string; bad: boolean };

/** The installed plugins with their versions, sources and users. */
export function PluginList() {
  const plugins = usePlugins();
  const [ended, setEnded] = useState<{ id: string; message: Message } | null>(null);
  const all = groups(plugins.data ?? []);
  const isGone = ended !== null && !all.some(({ id }) => id === ended.id);
  return (
    <>
      {plugins.isError && <Fault error={plugins.error} retry={() => void plugins.refetch()} />}
      <Changes>
        <Upload installed={plugins.data ?? []} />
      </Changes>
      {isGone && <Note message={ended.message} />}
      {plugins.isSuccess && plugins.data.length === 0 && <p className="panel empty">No policy plugin is installed.</p>}
      {all.map((group) => (
        <PluginPanel
          key={group.id}
          group={group}
          message={ended?.id === group.id ? ended.message : null}
          onMessage={(message) => setEnded(message && { id: group.id, message })}
        />
      ))}
    </>
  );
}

function Note({ message: { text, bad } }: { message: Message }) {
  return (
    <p className={`note ${bad ? "bad" : "good"}`} role={bad ? "alert" : "status"}>
      {text}
    </p>
  );
}

type PanelProps = { group: Group; message: Message | null; onMessage: (message: Message | null) => void };

function PluginPanel({ group, message, onMessage }: PanelProps) {
  const [newest] = group.versions;
  if (!newest) return null;
  const properties = Object.entries(
    (newest.parameterSchema as { properties?: Record<string, Record<string, unknown>> }).properties ?? {},
  );
  return (
    <Panel
      title={group.id}
      aside={group.versions.length > 1 && <span className="chip">{group.versions.length} versions</span>}
    >
      <p className="pad">{newest.description}</p>
      <table className="cards">
        <thead>
          <tr>
            <th>Version</th>
            <th>Used by</th>
            <th>SHA-256</th>
            <th>Source</th>
            <th className="r">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {group.versions.map((plugin) => (
            <VersionRow key={plugin.version} group={group} plugin={plugin} onMessage={onMessage} />
          ))}
        </tbody>
      </table>
      <div className="pad stack" style={{ gap: 12 }}>
        {message && <Note message={message} />}
        <details>
          <summary className="muted">
            Parameters of {newest.version}
            {properties.length > 0 && ` (${properties.map(([name]) => name).join(", ")})`}
          </summary>
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
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
          <pre className="json" tabIndex={0}>
            {JSON.stringify(newest.parameterSchema, null, 2)}
          </pre>
        </details>
      </div>
    </Panel>
  );
}

type RowProps = {
  group: Group;
  plugin: PolicyPlugin;
  onMessage: (message: Message | null) => void;
};

function VersionRow({ group, plugin, onMessage }: RowProps) {
  const plan = usePlanAdoption(plugin);
  const adopt = useAdoptPlugin(plugin);
  const [asked, setAsked] = useState<{ question: Question; run: () => void } | null>(null);
  const remove = useRemovePlugin(plugin, () =>
    onMessage({ text: `${plugin.id} ${plugin.version} was removed.`, bad: false }),
  );
  const candidates = movable(group, plugin);
  const kept = keptBecause(plugin);
  const refused = (error: unknown) => onMessage({ text: sentence(error), bad: true });
  const move = (sets: string[]) => {
    adopt.mutate(sets, {
      onSuccess: (moves) =>
        onMessage({ text: told(moves, plugin.version), bad: moves.some((move) => move.outcome === "refused") }),
      onError: refused,
      onSettled: () => setAsked(null),
    });
  };
  const drop = () =>
    remove.mutate(undefined, {
      onError: refused,
      onSettled: () => setAsked(null),
    });
  return (
    <tr>
      <td data-label="Version" className="whole">
        <b className="num">{plugin.version}</b>{" "}
        {plugin.newest && group.versions.length > 1 && <span className="chip acc">newest</span>}
      </td>
      <td data-label="Used by" className="whole" style={{ whiteSpace: "normal" }}>
        <Users users={plugin.usedBy} />
      </td>
      <td data-label="SHA-256" className="whole">
        <Hash sha256={plugin.sha256} />
      </td>
      <td data-label="Source" className="muted whole">
        {plugin.source}
        {plugin.builtIn ? ", built in" : ", uploaded"}
      </td>
      <td className="r whole">
        <span className="row wrap" style={{ gap: 8, justifyContent: "flex-end" }}>
          {candidates.length > 0 && (
            <Changes>
              <button
                type="button"
                className="btn small"
                disabled={plan.isPending || adopt.isPending}
                title={`Asks whether ${candidates.join(", ")} may move to ${plugin.version}`}
                onClick={() => {
                  onMessage(null);
                  plan.mutate(undefined, {
                    onSuccess: (moves) => {
                      const sets = moving(moves);
                      if (sets.length === 0) onMessage({ text: told(moves, plugin.version), bad: true });
                      else setAsked({ question: beforeAdoption(plugin, moves), run: () => move(sets) });
                    },
                    onError: refused,
                  });
                }}
              >
                Adopt {plugin.version} ({candidates.length})…
              </button>
            </Changes>
          )}
          {kept === null ? (
            <Changes>
              <button
                type="button"
                className="btn small danger"
                disabled={remove.isPending}
                onClick={() => {
                  onMessage(null);
                  setAsked({ question: beforeRemoval(plugin), run: drop });
                }}
              >
                Remove {plugin.version}…
              </button>
            </Changes>
          ) : (
            <Chip help={`Cannot be removed: ${kept}`}>{plugin.builtIn ? "built in" : "in use"}</Chip>
          )}
        </span>
        <Confirm
          question={asked?.question ?? null}
          busy={adopt.isPending || remove.isPending}
          onConfirm={() => asked?.run()}
          onClose={() => setAsked(null)}
        />
      </td>
    </tr>
  );
}

/** Before a version is adopted: whom it moves and whom not, and which defaults of parameters that sets leave out become others. */
function beforeAdoption(plugin: PolicyPlugin, moves: readonly Adoption[]): Question {
  const sets = moving(moves);
  const changed = drifts(moves);
  return {
    title: `Adopt ${plugin.id} ${plugin.version}?`,
    lines: [
      `${sets.join(", ")} ${sets.length === 1 ? "moves" : "move"} to ${plugin.version}, each in a new revision, between two steps. No request is lost.`,
      ...staying(moves),
      ...(changed.length === 0
        ? ["Its defaults are those of the versions in use."]
        : [
            "It has other defaults for parameters that the sets leave out. To keep a value, write it into the set first.",
            ...changed,
          ]),
    ],
    undo: "Restoring the former revision of a set takes it back.",
    action: changed.length === 0 ? `Adopt ${plugin.version}` : `Adopt ${plugin.version} with these changes`,
    danger: changed.length > 0,
  };
}

function beforeRemoval(plugin: PolicyPlugin): Question {
  return {
    title: `Remove ${plugin.id} ${plugin.version}?`,
    lines: ["No policy set uses it. Former revisions that used it cannot be restored without it."],
    undo: "To have it again, upload its jar.",
    action: `Remove ${plugin.version}`,
    danger: true,
  };
}

function Users({ users }: { users: readonly string[] }) {
  if (users.length === 0) return <span className="faint">no policy set</span>;
  return (
    <span>
      {users.map((user, i) => {
        const { kind, name } = userOf(user);
        return (
          <span key={user}>
            {i > 0 && ", "}
            {kind === "domain" ? (
              <Link to="/domains/$domain" params={{ domain: name }}>
                {name}
              </Link>
            ) : (
              <Link to="/databases/$database" params={{ database: name }}>
                database {name}
              </Link>
            )}
          </span>
        );
      })}
    </span>
  );
}

/** The begin of a hash with a button that copies all of it, or shows it where the page may not copy. */
function Hash({ sha256 }: { sha256: string }) {
  const [copied, setCopied] = useState<"yes" | "no" | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(sha256);
      setCopied("yes");
    } catch {
      setCopied("no"); // there is no clipboard outside a secure context
    }
  };
  if (copied === "no")
    return (
      <span className="mono" style={{ overflowWrap: "anywhere", whiteSpace: "normal" }}>
        {sha256}
      </span>
    );
  return (
    <span className="row" style={{ gap: 6 }}>
      <span className="mono" title={sha256}>
        {short(sha256)}…
      </span>
      <button
        type="button"
        className="btn small"
        aria-label={`Copy the SHA-256 ${short(sha256)}`}
        onClick={() => void copy()}
      >
        {copied ? "Copied" : "Copy"}
      </button>
    </span>
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
