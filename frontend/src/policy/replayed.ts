/** What a replay tells of a domain's latency: the figures of each statistic that a cap may be on. */
import type { ReplayFigures, ReplayOutcome } from "@/api/types";
import type { Statistic } from "./summary";

type Miss = ReplayOutcome["fit"]["misses"][number];
type Second = ReplayOutcome["second"][number];

type Replayed = {
  /** By which the model's error is told. */
  miss: Miss["figure"];
  figure: keyof ReplayFigures;
  /** Of a second: what happened, what the model makes of the set in force, and of the draft. */
  actual: keyof Second;
  baseline: keyof Second;
  replayed: keyof Second;
};

export const REPLAYED: Record<Statistic, Replayed> = {
  mean: {
    miss: "latency",
    figure: "meanMs",
    actual: "actualMeanMs",
    baseline: "baselineMeanMs",
    replayed: "meanMs",
  },
  p95: {
    miss: "latency-p95",
    figure: "p95Ms",
    actual: "actualP95Ms",
    baseline: "baselineP95Ms",
    replayed: "p95Ms",
  },
  p99: {
    miss: "latency-p99",
    figure: "p99Ms",
    actual: "actualP99Ms",
    baseline: "baselineP99Ms",
    replayed: "p99Ms",
  },
};

/** Undefined if too little happened to tell. */
export const missOf = ({ fit }: Pick<ReplayOutcome, "fit">, figure: Miss["figure"]): Miss | undefined =>
  fit.misses.find((miss) => miss.figure === figure);

/** The model's own line, with its error: "model of the set in force (4 % off)". */
export const modelName = (miss: Miss | undefined) =>
  `model of the set in force${miss ? ` (${Math.round(miss.percent)} % off)` : ""}`;
