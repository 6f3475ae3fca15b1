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

/** The begin of an EXPLAIN with its options, which may be in parentheses, as a query may. */
const EXPLAIN =
  /^explain\b\s*(?:\((?!\s*(?:\(|(?:select|with|values|table)\b))[^()]*\)\s*|(?:(?:analy[sz]e|verbose)\s+)*)/i;

/** The pieces to explain: of an EXPLAIN that somebody has written, the statement in it. */
export function toExplain(pieces: readonly Piece[]): Piece[] {
  return pieces.map((piece) => {
    const [begin = ""] = EXPLAIN.exec(piece.sql) ?? [];
    const sql = piece.sql.slice(begin.length);
    if (!EXPLAINED.test(sql)) return piece;
    return { sql, from: piece.from + begin.length, line: piece.line + begin.split("\n").length - 1 };
  });
}

/** How the statements begin that PostgreSQL explains. */
const EXPLAINED =
  /^[(\s]*(select|with|values|table|insert|update|delete|merge|execute|declare|create\s+((global|local|temp|temporary|unlogged)\s+)*table\b.*\bas|(create|refresh)\s+materialized)\b/is;

const SYNTAX_ERROR = "42601";

/** Whether a statement was not understood because EXPLAIN stood before it, which it must not. */
export function isUnexplained({ explain, pieces }: Sent, statement: number, error: SqlError | undefined): boolean {
  return explain && error?.code === SYNTAX_ERROR && !EXPLAINED.test(pieces[statement]?.sql ?? "");
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
  if (!piece || !error?.position || isUnexplained(sent, statement, error)) return null;
  const offset = offsetOf(piece.sql, error.position - prefix(sent).length);
  return {
    from: piece.from + offset,
    to: piece.from + endOfWord(piece.sql, offset),
    line: piece.line + piece.sql.slice(0, offset).split("\n").length - 1,
  };
}
