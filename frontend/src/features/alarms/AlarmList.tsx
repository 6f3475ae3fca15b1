import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { type AlarmFilter, alarmsQuery, useUnsilence } from "@/api/alarms";
import type { LoggedAlarm } from "@/api/types";
import { age, count, stamp } from "@/format/format";
import { alarmName } from "@/format/names";
import { chartsAround } from "@/policy/around";
import { serverNow } from "@/stream/browser";
import { useNow, usePools } from "@/stream/hooks";
import { Choice } from "@/ui/Choice";
import { Empty } from "@/ui/Empty";
import { shapeOf } from "@/ui/health";
import { Fault, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Changes } from "@/ui/role";
import { AcknowledgeDialog, SilenceDialog } from "./Dialogs";
import { codesOf, howLong, howOften, quiet, sentenceOf, tone } from "./words";

/** Of the domains that an alarm stands on; its sentence names all. */
const MOST_NAMED = 3;

type Props = { filter: AlarmFilter; onFilter: (filter: AlarmFilter) => void };

/** What somebody is about to say of an alarm. The alarm may end meanwhile, and then is among the past. */
type Asked = { what: "acknowledge" | "silence"; alarm: LoggedAlarm };

/** The open alarms, and the past ones beneath. Kept up to date by the stream's events. */
export function AlarmList({ filter, onFilter }: Props) {
  const open = useInfiniteQuery(alarmsQuery("open", filter));
  const past = useInfiniteQuery(alarmsQuery("past", filter));
  const standing = open.data?.pages.flatMap((page) => page.items) ?? [];
  // One that ends between two pages may be in both.
  const ended = [...new Map(past.data?.pages.flatMap((page) => page.items).map((a) => [a.id, a])).values()];
  const filtered = filter.domain !== undefined || filter.code !== undefined;
  const lost = open.data?.pages[0]?.lost ?? 0;
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const current = asked && ([...ended, ...standing].find(({ id }) => id === asked.alarm.id) ?? asked.alarm);
  const names = usePools()
    .map((pool) => pool.domain)
    .sort();
  return (
    <>
      <search className="filters" aria-label="Filter alarms">
        <Choice
          label="Domain"
          value={filter.domain}
          options={names}
          onChange={(domain) => onFilter({ ...filter, domain })}
        />
        <Choice
          label="Alarm"
          value={filter.code}
          options={codesOf([...standing, ...ended], filter.code)}
          name={alarmName}
          onChange={(code) => onFilter({ ...filter, code })}
        />
      </search>
      {open.isError && <Fault error={open.error} retry={() => void open.refetch()} />}
      {lost > 0 && (
        <p className="note warn" role="status">
          {count(lost)} {lost === 1 ? "alarm" : "alarms"} could not be stored since the service started.
        </p>
      )}
      <Panel
        title="Open"
        aside={
          <span className="muted">
            {unattended(open.data?.pages[0]?.unattended ?? 0, standing.length > 0, filtered)}
          </span>
        }
      >
        {standing.length === 0 ? (
          <Empty of={open}>
            {filtered ? <NoneFits onClear={() => onFilter({})} /> : "No alarm stands. Nothing needs you now."}
          </Empty>
        ) : (
          <ul className="alarm-list" data-testid="open-alarms">
            {standing.map((alarm) => (
              <OpenAlarm key={alarm.id} alarm={alarm} onAsk={(what) => setAsked({ what, alarm })} />
            ))}
          </ul>
        )}
        <More log={open} text="More open alarms" />
      </Panel>
      <Panel title="Past">
        {past.isError && <Fault error={past.error} retry={() => void past.refetch()} />}
        {ended.length === 0 ? (
          <Empty of={past}>{filtered ? "No past alarm fits this filter." : "No alarm has ended yet."}</Empty>
        ) : (
          <ul className="alarm-list" data-testid="past-alarms">
            {ended.map((alarm) => (
              <PastAlarm key={alarm.id} alarm={alarm} />
            ))}
          </ul>
        )}
        <More log={past} text="Older alarms" />
      </Panel>
      {current && asked?.what === "acknowledge" && <AcknowledgeDialog alarm={current} onClose={close} />}
      {current && asked?.what === "silence" && <SilenceDialog alarm={current} onClose={close} />}
    </>
  );
}

/** What is said where the filter leaves out every open alarm: how many it hides. */
function NoneFits({ onClear }: { onClear: () => void }) {
  const all = useInfiniteQuery(alarmsQuery("open", {}));
  const others = all.data?.pages.flatMap((page) => page.items).length ?? 0;
  return (
    <>
      No open alarm fits this filter{all.isSuccess && `; ${othersOpen(others, all.hasNextPage)}`}.{" "}
      <button type="button" className="btn small" onClick={onClear}>
        Show all alarms
      </button>
    </>
  );
}

function othersOpen(others: number, andMore: boolean): string {
  if (andMore) return `more than ${count(others)} others are open`;
  if (others === 0) return "no other is open";
  return others === 1 ? "1 other is open" : `${count(others)} others are open`;
}

/** @param number of all open alarms, whatever is shown */
function unattended(number: number, any: boolean, filtered: boolean): string {
  if (number === 0) return any ? "none needs you" : "";
  return `${count(number)} unattended${filtered ? " in all" : ""}`;
}

function OpenAlarm({ alarm, onAsk }: { alarm: LoggedAlarm; onAsk: (what: Asked["what"]) => void }) {
  const unsilence = useUnsilence();
  const what = `${alarmName(alarm.code)} of ${alarm.domain ?? alarm.database ?? "Headgate"}`;
  return (
    <li className="alarm" data-tone={tone(alarm)}>
      <Shape alarm={alarm} />
      <div className="alarm-text">
        <Said alarm={alarm} />
        <Facts alarm={alarm} />
        <Attended alarm={alarm} />
        {unsilence.isError && <Fault error={unsilence.error} />}
      </div>
      <Changes>
        <span className="alarm-actions">
          {!alarm.acknowledged && (
            <button
              type="button"
              className="btn small"
              aria-label={`Acknowledge ${what}…`}
              onClick={() => onAsk("acknowledge")}
            >
              Acknowledge…
            </button>
          )}
          {alarm.silenced ? (
            <button
              type="button"
              className="btn small"
              aria-label={`End the silence of ${what}`}
              disabled={unsilence.isPending}
              onClick={() => unsilence.mutate(alarm.id)}
            >
              End silence
            </button>
          ) : (
            <button
              type="button"
              className="btn small"
              aria-label={`Silence ${what}…`}
              onClick={() => onAsk("silence")}
            >
              Silence…
            </button>
          )}
        </span>
      </Changes>
    </li>
  );
}

function PastAlarm({ alarm }: { alarm: LoggedAlarm }) {
  return (
    <li className="alarm past">
      <Shape alarm={alarm} />
      <div className="alarm-text">
        <Said alarm={alarm} />
        <Facts alarm={alarm} />
        <Attended alarm={alarm} />
      </div>
    </li>
  );
}

function Said({ alarm: { message, detail } }: { alarm: LoggedAlarm }) {
  return (
    <p>
      {detail ? `${message}: ` : sentenceOf(message)}
      {detail && <span className="muted">{sentenceOf(detail)}</span>}
    </p>
  );
}

/** The severity as a shape, so that it does not depend on colours. */
function Shape({ alarm }: { alarm: LoggedAlarm }) {
  return (
    <span className="alarm-shape" title={alarm.severity}>
      <span aria-hidden="true">{shapeOf(alarm)}</span>
      <span className="sr-only">{alarm.severity}</span>
    </span>
  );
}

/** Where, which, since when, how long and how often. */
function Facts({ alarm }: { alarm: LoggedAlarm }) {
  const zone = useZone();
  const now = useNow(!alarm.cleared);
  const more = [howLong(alarm, now), howOften(alarm), quiet(alarm, now), alarm.cutOff ? "until Headgate ended" : ""];
  return (
    <p className="alarm-facts">
      <Where alarm={alarm} />
      <span className="chip">{alarmName(alarm.code)}</span>
      <time dateTime={alarm.since}>{stamp(alarm.since, zone)}</time>
      {more.filter(Boolean).map((text) => (
        <span key={text.split(" ")[0]}>{text}</span>
      ))}
    </p>
  );
}

/** Where it is; of a past one's domain the charts of then. */
function Where({ alarm }: { alarm: LoggedAlarm }) {
  const domains = alarm.domain ? [alarm.domain] : alarm.domains;
  if (domains.length > 0)
    return (
      <span>
        {domains.slice(0, MOST_NAMED).map((domain, i) => (
          <Fragment key={domain}>
            {i > 0 && ", "}
            <Link
              to="/domains/$domain"
              params={{ domain }}
              search={alarm.cleared ? chartsAround(Date.parse(alarm.since), serverNow()) : {}}
            >
              {domain}
            </Link>
          </Fragment>
        ))}
        {domains.length > MOST_NAMED && ` and ${count(domains.length - MOST_NAMED)} more`}
      </span>
    );
  if (alarm.database)
    return (
      <Link to="/databases/$database" params={{ database: alarm.database }}>
        {alarm.database}
      </Link>
    );
  return <span>all domains</span>;
}

/** Who has seen or silenced it, and why. */
function Attended({ alarm: { acknowledged, silenced, cleared } }: { alarm: LoggedAlarm }) {
  const zone = useZone();
  const now = useNow(silenced !== null && !cleared);
  if (!acknowledged && !silenced) return null;
  return (
    <p className="alarm-facts">
      {acknowledged && (
        <span>
          ✓ acknowledged by {acknowledged.actor}
          {acknowledged.reason && `: “${acknowledged.reason}”`}, {stamp(acknowledged.time, zone)}
        </span>
      )}
      {silenced && (
        <span>
          ‖ {cleared ? "was silenced" : `silent for ${age(Date.parse(silenced.until) - now)} more`} by {silenced.actor}:
          “{silenced.reason}”, until {stamp(silenced.until, zone)}
        </span>
      )}
    </p>
  );
}

type MoreProps = {
  log: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  text: string;
};

function More({ log, text }: MoreProps) {
  if (!log.hasNextPage) return null;
  return (
    <p className="pad">
      <button type="button" className="btn" disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
        {log.isFetchingNextPage ? "Loading…" : text}
      </button>
    </p>
  );
}
