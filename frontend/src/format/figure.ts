import { count, NONE } from "./format";

/** A figure whose unit is said elsewhere: three significant digits, or the whole part. "0.0123", "12.3", "1,234". */
export function figure(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return NONE;
  if (Math.abs(value) >= 99.95) return count(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/** "12.3 ms"; without a unit "12.3". */
export const withUnit = (value: number | null | undefined, unit: string) =>
  unit === "" || value == null ? figure(value) : `${figure(value)} ${unit}`;
