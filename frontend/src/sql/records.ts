import type { SqlError } from "@/api/types";

/**
 * The records of an answer (docs/sql.md, "The answer"). Rows belong to the `columns` before them. The answer is complete
 * only with its record `end`.
 */
export type Column = { name: string; type: string };
/** A value as text, or null for NULL. */
export type Cell = string | null;
export type Done = { rows: number; command?: string; limited?: boolean };
export type End = { rows: number; elapsedMs: number; waitedMs: number; connection: string };
export type AnswerRecord =
  | { columns: Column[]; statement?: number }
  | { row: Cell[]; size: number }
  | { done: Done; statement?: number }
  | { error: SqlError; statement?: number }
  | { end: End };

/** Reads the records as they arrive, as many at a time as a chunk completes. A last line without its end is not a record. */
export async function* readRecords(body: ReadableStream<Uint8Array>): AsyncGenerator<AnswerRecord[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const asWritten: boolean[] = [];
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = decoder.decode(value, { stream: true }).split("\n");
    lines[0] = rest + lines[0];
    rest = lines.pop() as string;
    yield lines.map((line) => {
      if (line.startsWith("[")) return { row: cells(line, asWritten), size: line.length };
      const record = JSON.parse(line) as AnswerRecord;
      if ("columns" in record) {
        asWritten.splice(0, asWritten.length, ...record.columns.map(({ type }) => type === "json" || type === "jsonb"));
      }
      return record;
    });
  }
}

type Value = string | number | boolean | object | null;
type Whole = { results: { columns: Column[]; data: Value[][]; error?: SqlError; rows: number }[]; end: End };

/** Reads an answer that is one JSON object. It can be read only when all of it is there. */
export async function* readWhole(body: ReadableStream<Uint8Array>): AsyncGenerator<AnswerRecord[]> {
  const { results, end } = (await new Response(body).json()) as Whole;
  const ofResult = ({ columns, data, error, ...done }: Whole["results"][number], statement: number): AnswerRecord[] => [
    { columns, statement },
    ...data.map((values) => {
      const row = values.map(cell);
      return { row, size: row.reduce((sum, text) => sum + (text?.length ?? 0), 0) };
    }),
    error ? { error, statement } : { done, statement },
  ];
  yield [...results.flatMap(ofResult), { end }];
}

function cell(value: Value): Cell {
  return value === null || typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * The cells of a row. JSON and arrays stay as the service wrote them: parsing would round their large numbers.
 *
 * @param asWritten the columns whose strings keep their quotes, because they are JSON themselves
 */
export function cells(row: string, asWritten: readonly boolean[]): Cell[] {
  const found: Cell[] = [];
  let at = blanks(row, 1);
  while (row[at] !== "]") {
    const end = endOfValue(row, at);
    const text = row.slice(at, end);
    if (text === "null") found.push(null);
    else if (text.startsWith('"') && !asWritten[found.length]) found.push(unquoted(text));
    else found.push(text);
    at = blanks(row, end);
    if (row[at] === ",") at = blanks(row, at + 1);
    else if (row[at] !== "]") throw new SyntaxError("A row of the answer cannot be read");
  }
  return found;
}

function unquoted(text: string): string {
  return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
}

function blanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}

function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        if (depth === 0) return at + 1;
        break;
      case "[":
      case "{":
        depth++;
        break;
      case "]":
      case "}":
        if (depth === 0) return at;
        if (--depth === 0) return at + 1;
        break;
      case " ":
      case ",":
        if (depth === 0) return at;
    }
  }
  throw new SyntaxError("A row of the answer cannot be read");
}

/** The place of the closing quote. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return quote;
  }
  throw new SyntaxError("A text of the answer cannot be read");
}
