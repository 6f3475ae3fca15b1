import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Alarm, Health, LoggedAlarm } from "@/api/types";
import { isUnattended, sentenceOf, tone } from "@/features/alarms/words";
import { headline } from "@/features/overview/headline";
import { ageOf, isTrouble } from "@/ui/health";
import { tabOf } from "./tab";

/** States as the service tells them. A test of the service writes them. */
type Row = { state: string; health: Health; alarms: Alarm[]; logged: LoggedAlarm[] };
const FILE = new URL("../../../backend/server/src/test/resources/states.json", import.meta.url);
const ROWS = JSON.parse(readFileSync(FILE, "utf8")) as Row[];
const NOW = Date.parse("2026-11-21T12:00:52Z");

it.each(ROWS)("says the same on every page: $state", ({ health, alarms, logged }) => {
  const said = `${health.sentence} ${ageOf(health, NOW)}`.trimEnd();
  const main = { name: "main", reachable: true };
  const title = headline([{ domain: "bank", health }], [main], NOW);
  expect(title.text).toBe(said);
  const counted = logged.map((alarm) => ({ ...alarm, acknowledged: null, silenced: null }) as unknown as LoggedAlarm);
  const tab = tabOf([{ health }], counted.filter(isUnattended).length, false);
  expect(tab.tone === "warn" || tab.tone === "bad").toBe(isTrouble(health));
  expect(tab.count > 0).toBe(isTrouble(health));
  for (const alarm of alarms.filter((each) => each.code === health.code)) {
    expect(`${alarm.message} ${ageOf(alarm, NOW)}`).toBe(said);
    expect(alarm.severity).toBe(health.severity);
  }
  for (const alarm of counted.filter((each) => each.code === health.code)) {
    expect(sentenceOf(alarm.message)).toBe(`${health.sentence}.`);
    expect(tone(alarm) || "calm").toBe(title.tone);
  }
});
