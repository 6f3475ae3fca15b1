/**
 * Whether all that was measured is in a step that has not ended, so that a chart up to now has no point of it.
 *
 * @param time the ends of the steps
 * @param column what was measured in each; null where nothing was
 */
export function isInFirstStep(time: readonly string[], column: readonly (number | null)[], now: number): boolean {
  const first = column.findIndex((value) => value !== null);
  return first >= 0 && Date.parse(time[first] ?? "") > now;
}
