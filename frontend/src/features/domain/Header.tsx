import { Popover } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type PoolAction, useDomain, usePoolAction } from "@/api/domains";
import { sentence } from "@/api/problem";
import type { Alarm, Pool } from "@/api/types";
import { whenSeen } from "@/stream/freshness";
import { useFreshnessLevel, useNow, usePool } from "@/stream/hooks";
import { Confirm, type Question } from "@/ui/Confirm";
import { Help } from "@/ui/Help";
import { ageOf, labelWithAge, toneOf } from "@/ui/health";
import { ManagedChip, StateChip, TierMark } from "@/ui/parts";
import { Changes } from "@/ui/role";
import { Labels } from "./Labels";
import { questionBefore } from "./questions";

type Props = { domain: string };

type Asked = { what: PoolAction; question: Question };

const DONE: Record<PoolAction, string> = {
  pause: "Paused: leases finish, new requests wait, and their deadlines keep running.",
  resume: "Resumed.",
  flush: "Flushing: every connection is replaced; those in use are replaced when they are released.",
  drain: "Draining until you resume: new requests are refused, and connections close when they are released.",
};

/** The domain's name, status, alarms and actions. */
export function DomainHeader({ domain }: Props) {
  const pool = usePool(domain);
  const about = useDomain(domain);
  const action = usePoolAction(domain);
  const [said, say] = useSaid(pool?.state);
  const [asked, setAsked] = useState<Asked | null>(null);
  const carryOut = (what: PoolAction) => {
    say(null);
    action.mutate(what, {
      onSuccess: () => {
        say(what);
        setAsked(null);
      },
    });
  };
  const act = (what: PoolAction) => {
    action.reset();
    const question = pool ? questionBefore(what, pool) : null;
    if (question) setAsked({ what, question });
    else carryOut(what);
  };
  const offered = pool ? OFFERED[pool.state === "open" ? "open" : "closed"] : [];
  return (
    <>
      <div className="row wrap domain-head">
        <span style={{ fontSize: 16 }}>
          <TierMark tier={about?.tier} />
        </span>
        <h1>{domain}</h1>
        <span className="muted">
          {about?.tier ? `${about.tier} on ` : "on "}
          {pool && (
            <Link to="/databases/$database" params={{ database: pool.database }} style={{ color: "inherit" }}>
              {pool.database}
            </Link>
          )}
        </span>
        {pool && <StatusWithAge domain={domain} />}
        <ManagedChip managedBy={about?.managedBy} />
        {about && <Labels domain={about} />}
        <span className="grow" />
        <span className="row" style={{ gap: 8 }}>
          <Link to="/domains/$domain/console" params={{ domain }} className="btn">
            SQL console
          </Link>
          <Changes>
            {offered.map((what) => (
              <ActionButton key={what} what={what} busy={action.isPending} act={act} />
            ))}
            {offered.length > 0 && (
              <Help
                label={offered.length === 1 ? "About this action" : "About these actions"}
                text={offered.map((what) => `${TEXT[what]}: ${HELP[what]}`).join("\n")}
              />
            )}
          </Changes>
        </span>
      </div>
      <Confirm
        question={asked?.question ?? null}
        busy={action.isPending}
        error={action.error}
        onConfirm={() => asked && carryOut(asked.what)}
        onClose={() => setAsked(null)}
      />
      {action.isError && !asked && (
        <p className="note bad" role="alert">
          {sentence(action.error)}
        </p>
      )}
      <div className="state-row">
        <StateLine domain={domain} />
        {said && (
          <p className="state-said muted" role="status">
            {DONE[said]}
          </p>
        )}
      </div>
    </>
  );
}

const SAID_MS = 8_000;
const LEADS_TO: Record<PoolAction, Pool["state"]> = {
  pause: "paused",
  resume: "open",
  flush: "open",
  drain: "draining",
};

/** What was done here last, for some seconds, or until the stream tells that it holds no more: somebody else may have undone it. */
function useSaid(state: Pool["state"] | undefined): [PoolAction | null, (what: PoolAction | null) => void] {
  const [said, setSaid] = useState<{ what: PoolAction; held: boolean } | null>(null);
  const holds = said !== null && state === LEADS_TO[said.what];
  if (said && holds && !said.held) setSaid({ ...said, held: true });
  if (said?.held && !holds) setSaid(null);
  const what = said?.what ?? null;
  useEffect(() => {
    if (!what) return;
    const timer = setTimeout(() => setSaid(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [what]);
  return [what, (next) => setSaid(next && { what: next, held: false })];
}

const TEXT: Record<PoolAction, string> = { pause: "Pause", resume: "Resume", flush: "Flush", drain: "Drain" };
const HELP: Record<PoolAction, string> = {
  pause: "lets leases finish and holds new requests.",
  resume: "lets requests pass again.",
  flush: "replaces every connection; those in use when they are released.",
  drain: "refuses new requests and closes connections when they are released.",
};
const OFFERED: Record<"open" | "closed", readonly PoolAction[]> = {
  open: ["pause", "flush", "drain"],
  closed: ["resume"],
};

function ActionButton({ what, busy, act }: { what: PoolAction; busy: boolean; act: (what: PoolAction) => void }) {
  return (
    <button type="button" className={`btn ${what === "resume" ? "pri" : ""}`} disabled={busy} onClick={() => act(what)}>
      {TEXT[what]}
    </button>
  );
}

function StatusWithAge({ domain }: { domain: string }) {
  const now = useNow();
  const pool = usePool(domain);
  if (!pool) return null;
  return (
    <span className="live-data">
      <StateChip health={pool.health} label={labelWithAge(pool.health, now)} />
    </span>
  );
}

/**
 * The state in a sentence, in a line that is always there: nothing below it moves when an alarm comes or goes. With alarms it
 * opens all of them, each once and with its detail.
 */
function StateLine({ domain }: { domain: string }) {
  const now = useNow();
  const pool = usePool(domain);
  const level = useFreshnessLevel();
  const [open, setOpen] = useState(false);
  if (!pool) return <p className="state-line" />;
  const alarms = alarmsOf(pool);
  const said = (
    <>
      {whenSeen(pool.health.sentence, level)} <span className="faint">{ageOf(pool.health, now)}</span>
    </>
  );
  const tone = LINE[toneOf(pool.health)];
  if (alarms.length === 0) return <p className={`state-line ${tone} live-data`}>{said}</p>;
  return (
    <div className="state-line live-data">
      <Popover
        opened={open}
        onChange={setOpen}
        position="bottom-start"
        withinPortal={false}
        width={520}
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <button type="button" className={tone} onClick={() => setOpen(!open)}>
            <span>{said}</span>
            {alarms.length > 1 && <span className="chip">and {alarms.length - 1} more</span>}
          </button>
        </Popover.Target>
        <Popover.Dropdown>
          <ul className="alarms" aria-label="Alarms">
            {alarms.map((alarm) => (
              <li key={alarm.code} className={LINE[toneOf(alarm)]}>
                {alarm.message} <span className="faint">{ageOf(alarm, now)}</span>
                {alarm.detail && <div className="small muted">{alarm.detail}</div>}
              </li>
            ))}
          </ul>
          <Link to="/alarms" className="small">
            Acknowledge or silence →
          </Link>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

const LINE = { good: "muted", quiet: "muted", warn: "warn", bad: "bad" } as const;

/** Each alarm once, first the one that the pool's state is named after. */
function alarmsOf({ alarms, health }: Pool): Alarm[] {
  const byCode = new Map<string, Alarm>();
  for (const alarm of alarms) if (!byCode.has(alarm.code)) byCode.set(alarm.code, alarm);
  return [...byCode.values()].sort((a, b) => Number(b.code === health.code) - Number(a.code === health.code));
}
