import type { SqlError, SqlRequest } from "@/api/types";
import { endOfWord, offsetOf, type Piece } from "./statements";

/** The statements of one execution, as they stand in the editor. */
export type Sent = { pieces: Piece[]; explain: boolean; readOnly: boolean };

/** A wrong place in the editor's text. */
export type Place = { from: number; to: number; line: number };

/** With ANALYZE the statement is executed, so only where it cannot change anything. */
function prefix({ explain, readOnly }: Sent): string {
  if (!explain) return "";
  return `EXPLAIN (${readOnly ? "ANALYZE, BUFFERS, " : ""}FORMAT JSON) `;
}

/** The request that executes them. Several statements are each for itself. */
export function requestOf(sent: Sent, maxRows: number | undefined, timeoutMs: number): SqlRequest {
  const statements = sent.pieces.map(({ sql }) => ({ sql: prefix(sent) + sql }));
  const what = statements.length === 1 ? { sql: statements[0]?.sql } : { statements };
  return { ...what, readOnly: sent.readOnly, maxRows, timeoutMs };
}

/** The place that an error of a statement names. */
export function placeOf(sent: Sent, statement: number, error: SqlError | undefined): Place | null {
  const piece = sent.pieces[statement];
  if (!piece || !error?.position) return null;
  const offset = offsetOf(piece.sql, error.position - prefix(sent).length);
  return {
    from: piece.from + offset,
    to: piece.from + endOfWord(piece.sql, offset),
    line: piece.line + piece.sql.slice(0, offset).split("\n").length - 1,
  };
}
