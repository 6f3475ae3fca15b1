import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { age, clock, count, duration, ofRequests } from "@/format/format";
import { freshness } from "@/stream/browser";
import { UNREACHABLE, whenSeen } from "@/stream/freshness";
import { useFreshnessLevel, useLive, useNow, usePools, useRows, useStreamed } from "@/stream/hooks";
import type { PoolRow } from "@/stream/schemas";
import { shapeOf, toneOf, withAge } from "@/ui/health";
import { useZone } from "@/ui/preferences";
import { headline } from "./headline";
import { wallRows } from "./wall";

/** Sizes in the wall's unit, which grows with the window: a tile with its gap, and the height of what is not tiles. */
const TILE = { width: 27.2, height: 16 };
const AROUND = 26;
/** Up to here tiles are larger. */
const FEW = 6;

/** The state of everything for a screen that is seen from across the room. It has no controls but the way back. */
export function Wall() {
  const now = useNow();
  useWakeLock();
  const rows = useRows();
  const databases = useLive((s) => s.databases());
  const level = useFreshnessLevel();
  const room = useRoom();
  const { tone, text, aside } = headline(usePools(), databases, now);
  const { troubled, calm, more } = wallRows(rows, room);
  const waiting = useStreamed().isPending;
  return (
    <div className="wall-body" data-tone={level === "live" ? tone : "stale"}>
      <WallState now={now} />
      <h1 data-testid="wall-headline">{waiting ? "Waiting for the first data" : whenSeen(text, level)}</h1>
      {!waiting && aside && <p className="wall-aside">{aside}</p>}
      <ul className={`wall-tiles live-data ${troubled.length + calm.length <= FEW ? "few" : ""}`}>
        {[...troubled, ...calm].map((row) => (
          <Tile key={row.domain} row={row} now={now} troubled={troubled.includes(row)} />
        ))}
      </ul>
      <p className="wall-more">
        {more.troubled > 0 && <b>{more.troubled} more in trouble. </b>}
        {more.calm > 0 && `${more.calm} more ${more.calm === 1 ? "domain has" : "domains have"} no trouble.`}
      </p>
    </div>
  );
}

/** The time, how old the data is, and in large letters when it is old. */
function WallState({ now }: { now: number }) {
  const zone = useZone();
  const { level, ageMs } = freshness();
  const since = Number.isFinite(ageMs) ? age(ageMs) : "";
  const text = {
    live: "live",
    waiting: "connecting",
    late: `late, ${since} old`,
    lost: "no data",
    unreachable: "no stream",
  }[level];
  return (
    <>
      <p className="wall-top">
        <Link to="/" className="wall-back">
          Headgate
        </Link>
        <span className="live" data-level={level} data-testid="live">
          <span className="dot" />
          <b>{text}</b>
        </span>
        <time>
          {clock(now, zone)} {zone === "utc" ? "UTC" : "local time"}
        </time>
      </p>
      {level === "unreachable" && (
        <p className="wall-stale" role="alert" data-testid="stale">
          {UNREACHABLE}
        </p>
      )}
      {(level === "lost" || level === "late") && (
        <p className="wall-stale" role="alert" data-testid="stale">
          {level === "lost" ? "The stream is interrupted. " : "The data is late. "}
          {since && `What is shown is ${since} old.`}
        </p>
      )}
    </>
  );
}

function Tile({ row, now, troubled }: { row: PoolRow; now: number; troubled: boolean }) {
  const tone = toneOf(row.health);
  return (
    <li className={`wall-tile ${troubled ? tone : ""}`}>
      <p className="wall-name">
        <span aria-hidden="true">{shapeOf(row.health)}</span> {row.domain}
      </p>
      <p className="wall-said">{troubled ? withAge(row.health, now) : row.health.label}</p>
      <dl>
        <div>
          <dt>in use</dt>
          <dd>
            {row.inUse}
            <small> of {row.size}</small>
          </dd>
        </div>
        <div>
          <dt>limit</dt>
          <dd>{count(row.ceiling)}</dd>
        </div>
        <div>
          <dt>waiting</dt>
          <dd className={row.waiting > 0 ? "loud" : ""}>{count(row.waiting)}</dd>
        </div>
        <div>
          <dt>p99</dt>
          <dd>{duration(ofRequests(row.latency.p99Ms, row.latency.perSecond))}</dd>
        </div>
        {row.turnedAway > 0 && (
          <div className="wall-away">
            <dt>turned away, 10 min</dt>
            <dd className="loud">{count(row.turnedAway)}</dd>
          </div>
        )}
      </dl>
    </li>
  );
}

/** How many tiles the window holds. */
function useRoom(): number {
  const [room, setRoom] = useState(roomOf);
  useEffect(() => {
    const measure = () => setRoom(roomOf());
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  }, []);
  return room;
}

function roomOf(): number {
  const unit = Math.max(10, Math.min(32, window.innerWidth * 0.0084)); // --u in overview.css
  const across = Math.max(1, Math.floor((window.innerWidth / unit - 4) / TILE.width));
  const down = Math.max(1, Math.floor((window.innerHeight / unit - AROUND) / TILE.height));
  return across * down;
}

/** Keeps the screen on where the browser can. The lock is lost while the page is hidden. */
function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    let gone = false;
    const hold = async () => {
      if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
      try {
        const held = await navigator.wakeLock.request("screen");
        if (gone) void held.release();
        else lock = held;
      } catch {
        // Refused, for instance to save the battery. The screen may sleep then.
      }
    };
    void hold();
    document.addEventListener("visibilitychange", hold);
    return () => {
      gone = true;
      document.removeEventListener("visibilitychange", hold);
      void lock?.release();
    };
  }, []);
}
