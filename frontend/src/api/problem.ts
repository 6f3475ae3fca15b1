import type { ProblemBody, SqlError, Violation } from "./types";

/** A detail that only says how many faults there are: "2 faults". */
const COUNT_OF_FAULTS = /^\d+ faults?\b/;

/** An RFC 9457 problem as an error. `kind` is the last segment of its type, which is stable. */
export class Problem extends Error {
  readonly kind: string;
  readonly status: number;
  readonly violations: Violation[];
  readonly currentRevision: number | undefined;
  /** What PostgreSQL says, if a statement failed. */
  readonly sql: SqlError | undefined;

  constructor(body: Partial<ProblemBody>, status: number) {
    super(
      body.detail && !COUNT_OF_FAULTS.test(body.detail)
        ? body.detail
        : (body.title ?? `The service answered ${status}`),
    );
    this.name = "Problem";
    this.kind = (body.type ?? "").split("/").pop() || `http-${status}`;
    this.status = body.status ?? status;
    this.violations = body.errors ?? [];
    this.currentRevision = body.currentRevision ?? undefined;
    this.sql = body.sql ?? undefined;
  }

  /** The fault at this JSON pointer or below it, if there is one. */
  at(pointer: string): string | undefined {
    return violationAt(this.violations, pointer);
  }
}

/** Whether the service has no such thing, or has it no more. */
export const isGone = (error: unknown) => error instanceof Problem && error.status === 404;

export function violationAt(violations: readonly Violation[], pointer: string): string | undefined {
  const found =
    violations.find((v) => v.pointer === pointer) ?? violations.find((v) => v.pointer?.startsWith(`${pointer}/`));
  if (!found) return undefined;
  const allowed = found.allowed && !found.message?.includes(found.allowed) ? ` (allowed: ${found.allowed})` : "";
  return `${found.message}${allowed}`;
}

/** The violations at `pointer` and below, with pointers relative to it. */
export function below(violations: readonly Violation[], pointer: string): Violation[] {
  return violations
    .filter((v) => v.pointer === pointer || v.pointer?.startsWith(`${pointer}/`))
    .map((v) => ({ ...v, pointer: v.pointer?.slice(pointer.length) }));
}

const UNANSWERED = "The service did not answer.";

/** The service did not answer a change: it may have been made before the answer was lost. */
export class ChangeUnanswered extends Error {
  constructor() {
    super(`${UNANSWERED} The change may not have been made.`);
  }
}

/** A sentence for any failure: the service's own message, or that it did not answer. */
export function sentence(error: unknown): string {
  if (error instanceof Problem) return withFaults(error, ({ message }) => message ?? "");
  if (error instanceof TypeError) return UNANSWERED;
  return error instanceof Error ? error.message : String(error);
}

const MOST_TOLD = 3;

/** The message of a problem with its first faults. */
export function withFaults({ message, violations }: Problem, say: (violation: Violation) => string): string {
  if (violations.length === 0) return message;
  const told = violations.slice(0, MOST_TOLD).map(say);
  if (violations.length > MOST_TOLD) told.push(`and ${violations.length - MOST_TOLD} more`);
  return `${message.replace(/\.$/, "")}: ${told.join("; ")}`;
}
