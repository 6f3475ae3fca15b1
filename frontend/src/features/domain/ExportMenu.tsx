import { Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { alarmsOfDomainQuery } from "@/api/alarms";
import { annotationsOfDomainQuery } from "@/api/annotations";
import { historyQuery } from "@/api/domains";
import { refusalsQuery } from "@/api/leases";
import { decisionsOfDomainQuery } from "@/api/log";
import { sentence } from "@/api/problem";
import type { History } from "@/api/types";
import { zoneText } from "@/format/format";
import { useCaps, useDatabaseMarks } from "@/policy/overTime";
import { capsWithin } from "@/policy/summary";
import { frozen, isStreamed, pastOf, type Range, said, searchOf, spanOf } from "@/range/range";
import { serverNow } from "@/stream/browser";
import { loadCode } from "@/ui/loadCode";
import { useZone } from "@/ui/preferences";

type Props = { domain: string; range: Range };
type Total = NonNullable<History["total"]>;

export const CHARTS = ["Latency", "Connections", "Waiting", "Leases per second", "Statements per second"] as const;

/** Code that the page does without. */
const writers = () => loadCode(() => import("./exports"));
const painter = () => loadCode(() => import("@/charts/picture"));

/** The range as files, and the incident as a text. */
export function ExportMenu({ domain, range }: Props) {
  const zone = useZone();
  const queries = useQueryClient();
  const spans = useCaps(domain);
  const ofDatabase = useDatabaseMarks(domain);
  const [told, setTold] = useState("");
  const [fault, setFault] = useState("");

  /** The answer that the charts have drawn. What they have from the stream is asked for. */
  const answer = async () => {
    const asked = isStreamed(range) ? frozen(range, serverNow()) : range;
    const history = await queries.ensureQueryData(historyQuery(domain, pastOf(asked)));
    return { history, total: history.total as Total };
  };
  const run = (write: () => Promise<string>) => {
    setTold("");
    setFault("");
    void write().then(setTold, (error) => setFault(sentence(error)));
  };
  const rows = (ending: "csv" | "json") => async () => {
    const { csvOf, fileName, jsonOf } = await writers();
    const { history, total } = await answer();
    const text = ending === "csv" ? csvOf(history) : jsonOf(domain, history);
    return save(fileName(domain, total, ending), text, ending === "csv" ? "text/csv" : "application/json");
  };
  const picture = (chart: (typeof CHARTS)[number]) => async () => {
    const panel = document.querySelector(`.chart[data-chart="${chart}"]`)?.closest(".panel");
    if (!panel) throw new Error("The chart is not on the page.");
    const [{ fileName }, { pictureOf }] = await Promise.all([writers(), painter()]);
    const span = spanOf(range, serverNow());
    const title = `${domain} · ${chart} · ${said(span, zone)} ${zoneText(span.to, zone)}`;
    const times = { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() };
    const name = fileName(domain, times, "png", chart.toLowerCase().replaceAll(" ", "-"));
    return save(name, await pictureOf(panel, title), "image/png");
  };
  const incident = async () => {
    const { history, total } = await answer();
    const span = { from: Date.parse(total.from), to: Date.parse(total.to) };
    const [alarms, annotations, refusals, decisions] = await Promise.all([
      queries.fetchQuery(alarmsOfDomainQuery(domain, span)),
      queries.fetchQuery(annotationsOfDomainQuery(domain, span)),
      queries.fetchQuery(refusalsQuery(domain)),
      queries.fetchQuery(decisionsOfDomainQuery(domain, span)),
    ]);
    const link = new URL(`/domains/${domain}`, location.href);
    for (const [name, value] of Object.entries(searchOf({ kind: "fixed", ...span })))
      if (value) link.searchParams.set(name, value);
    const caps = capsWithin(spans, span.from, span.to);
    const happened = {
      rows: history,
      markers: history.markers,
      ofDatabase,
      alarms,
      annotations,
      caps,
      refusals: refusals.items,
      decisions,
    };
    const { fileName, markdownOf } = await writers();
    return { text: markdownOf({ domain, link: link.href, total, ...happened }), name: fileName(domain, total, "md") };
  };
  const copy = async () => {
    const { text } = await incident();
    try {
      await navigator.clipboard.writeText(text);
      return "Copied.";
    } catch {
      throw new Error("This page may not use the clipboard. Save the file instead."); // outside a secure context
    }
  };
  const saveIncident = async () => {
    const { text, name } = await incident();
    return save(name, text, "text/markdown");
  };

  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <button type="button" className="btn">
            Export
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => run(copy)}>Copy the incident as Markdown</Menu.Item>
          <Menu.Item onClick={() => run(saveIncident)}>Incident as Markdown</Menu.Item>
          <Menu.Item onClick={() => run(rows("csv"))}>Rows as CSV</Menu.Item>
          <Menu.Item onClick={() => run(rows("json"))}>Rows as JSON</Menu.Item>
          {CHARTS.map((chart) => (
            <Menu.Item key={chart} onClick={() => run(picture(chart))}>
              {chart} as PNG
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {told && (
        <span className="muted small" role="status">
          {told}
        </span>
      )}
      {fault && (
        <span className="note bad" role="alert">
          {fault}
        </span>
      )}
    </>
  );
}

/** Has the browser save a file, and says so. */
function save(name: string, content: string | Blob, type: string): string {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return `Saved ${name}.`;
}
