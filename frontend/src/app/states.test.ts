import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Alarm, Health, LoggedAlarm } from "@/api/types";
import { isUnattended, sentenceOf, tone } from "@/features/alarms/words";
import { headline } from "@/features/overview/headline";
import { ageOf, isTrouble } from "@/ui/health";
import { tabOf } from "./tab";

/** States as the service tells them. A test of the service writes them. */
type Row = { of: "domain" | "database"; state: string; health: Health; alarms: Alarm[]; logged: LoggedAlarm[] };
const FILE = new URL("../../../backend/server/src/test/resources/states.json", import.meta.url);
const ROWS = JSON.parse(readFileSync(FILE, "utf8")) as Row[];
const NOW = Date.parse("2026-11-21T12:00:52Z");

const FINE: Health = { ...(ROWS[0] as Row).health, sentence: "bank is fine" };

it.each(ROWS)("says the same of a $of on every page: $state", ({ of, health, alarms, logged }) => {
  const said = `${health.sentence} ${ageOf(health, NOW)}`.trimEnd();
  const pools = [{ domain: "bank", database: "main", health: of === "domain" ? health : FINE }];
  const databases = of === "database" ? [{ name: "main", health }] : [];
  const title = headline(pools, databases, NOW);
  expect(title.text).toBe(of === "domain" || isTrouble(health) ? said : FINE.sentence);
  const counted = logged.map((alarm) => ({ ...alarm, acknowledged: null, silenced: null }) as unknown as LoggedAlarm);
  const tab = tabOf([...pools, ...databases], counted.filter(isUnattended).length, false);
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
