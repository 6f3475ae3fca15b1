/** Formats numbers: unit by magnitude, few digits, the same everywhere in the dashboard. */

export const NONE = "–";

/** 12,345. `Intl` would say the same, and load its tables before the first page is drawn: up to 0.1 s. */
const grouped = (value: number) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");

/** 12,345. Below ten: one decimal, if it is not zero. */
export function count(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return NONE;
  if (value !== 0 && Math.abs(value) < 10 && !Number.isInteger(value)) return value.toFixed(1);
  return grouped(value);
}

/** Milliseconds as µs, ms, s or min, with about three significant digits. */
export function duration(ms: number | null | undefined): string {
  if (ms == null || !Number.isFinite(ms)) return NONE;
  if (ms === 0) return "0 ms";
  if (ms < 0.9995) return `${Math.max(1, Math.round(ms * 1000))} µs`;
  if (ms < 19.95) return `${trim(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${trim((ms / 1000).toFixed(1))} s`;
  return age(ms);
}

/** A duration of requests, if there were any: where nothing ran, nothing took 0 ms. `requests` is their number or their rate. */
export function ofRequests(ms: number | null, requests: number | null): number | null {
  return requests ? ms : null;
}

/** A long duration in at most two units: "2 min 14 s", "3 h 5 min", "9 d". */
export function age(ms: number | null | undefined): string {
  if (ms == null || !Number.isFinite(ms)) return NONE;
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return two(hours, "h", minutes % 60, "min");
  return `${Math.floor(hours / 24)} d`;
}

/** An age in one unit, so that it does not flicker in a table. */
export function coarseAge(ms: number | null | undefined): string {
  if (ms == null || !Number.isFinite(ms)) return NONE;
  if (ms < 60_000) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.floor(ms / 3_600_000)} h`;
  return `${Math.floor(ms / 86_400_000)} d`;
}

export function bytes(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return NONE;
  if (value < 1000) return `${value} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let scaled = value;
  let unit = -1;
  while (scaled >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit++;
  }
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)} ${units[unit]}`;
}

/** A count for sentences: "one" to "nine" as words, larger ones in digits. */
export function spelled(n: number): string {
  return ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"][n] ?? grouped(n);
}

export type Zone = "utc" | "local";

/** 12:03:07, in UTC or local time. */
export function clock(time: number | string | Date, zone: Zone, seconds = true): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return NONE;
  const [h, m, s] =
    zone === "utc"
      ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
      : [date.getHours(), date.getMinutes(), date.getSeconds()];
  const two = (n: number) => String(n).padStart(2, "0");
  return seconds ? `${two(h)}:${two(m)}:${two(s)}` : `${two(h)}:${two(m)}`;
}

/** 2026-11-21 12:03:07, for times that may be older than today. */
export function stamp(time: number | string | Date, zone: Zone): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return NONE;
  const shifted = zone === "utc" ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19).replace("T", " ");
}

/** "UTC", or "UTC+01:00": what is ahead of it at a time, in the local zone. */
export function zoneText(time: number, zone: Zone): string {
  const ahead = zone === "utc" ? 0 : -new Date(time).getTimezoneOffset();
  if (ahead === 0) return "UTC";
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  return `UTC${ahead < 0 ? "−" : "+"}${two(Math.abs(ahead) / 60)}:${two(Math.abs(ahead) % 60)}`;
}

const HALF_A_DAY = 43_200_000;

/** 11-21 12:03:07 */
const dated = (time: number | string, zone: Zone) => stamp(time, zone).slice(5);

/** A time as it is said at `now`: with its date if it is more than half a day away. */
export const whenText = (time: number | string, zone: Zone, now: number) =>
  Math.abs(now - new Date(time).getTime()) > HALF_A_DAY ? dated(time, zone) : clock(time, zone);

type TimeRange = { until: number; spanMs: number; now: number };

/** A time of a range: with its date if the range is longer than half a day, or not of today. All times of a range are said alike. */
export function timeText(time: number, zone: Zone, { until, spanMs, now }: TimeRange): string {
  const day = (of: number) => stamp(of, zone).slice(0, 10);
  return spanMs > HALF_A_DAY || day(until - spanMs) !== day(now) ? dated(time, zone) : clock(time, zone);
}

function two(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}

function trim(fixed: string): string {
  return fixed.endsWith(".0") ? fixed.slice(0, -2) : fixed;
}
