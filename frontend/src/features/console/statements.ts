import { ensureSyntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

/** A statement in the editor, and where it begins there: its offset, and its line from 1. */
export type Piece = { sql: string; from: number; line: number };

const PARSE_MS = 200;

type SyntaxNode = NonNullable<ReturnType<typeof ensureSyntaxTree>>["topNode"];

/** The statements to execute: those that are selected, or the one at the cursor. */
export function statementsToRun(state: EditorState): Piece[] {
  const { from, to, empty } = state.selection.main;
  const all = spans(state);
  if (empty) {
    const chosen = all.findLast((span) => span.from <= from) ?? all[0];
    return chosen ? [piece(state, chosen.from, chosen.to)] : [];
  }
  return all
    .filter((span) => span.from < to && span.to > from)
    .map((span) => piece(state, Math.max(span.from, from), Math.min(span.to, to)))
    .filter(({ sql }) => !/^;*$/.test(sql));
}

/** Statements with others inside, which semicolons end, too: how they begin, and what opens and closes the part that holds those. */
const BODIES = [
  { begin: /^CREATE (OR REPLACE )?(FUNCTION|PROCEDURE)\b/, opens: ["BEGIN", "CASE"], closes: "END" },
  { begin: /^CREATE (OR REPLACE )?RULE\b/, opens: ["("], closes: ")" },
];

function spans(state: EditorState): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_MS);
  let body: (typeof BODIES)[number] | undefined;
  let depth = 0;
  for (let node = tree?.topNode.firstChild; node; node = node.nextSibling) {
    const last = found.at(-1);
    if (last && (depth > 0 || state.sliceDoc(node.from, node.to) === ";")) last.to = node.to;
    else if (node.name === "Statement") found.push({ from: node.from, to: node.to });
    else continue;
    const words = wordsOf(state, node);
    if (depth === 0) body = BODIES.find(({ begin }) => begin.test(words.slice(0, 4).join(" ")));
    for (const word of body ? words : []) {
      if (body?.opens.includes(word)) depth++;
      else if (word === body?.closes) depth = Math.max(0, depth - 1);
    }
  }
  return found;
}

/** The words and parentheses outside of strings and comments, in upper case. */
function wordsOf(state: EditorState, within: SyntaxNode): string[] {
  const words: string[] = [];
  within.cursor().iterate(({ name, from, to }) => {
    if (/^(Keyword|Identifier|Type|[()])$/.test(name)) words.push(state.sliceDoc(from, to).toUpperCase());
  });
  return words;
}

function piece(state: EditorState, from: number, to: number): Piece {
  const sql = state.sliceDoc(from, to);
  const start = from + sql.length - sql.trimStart().length;
  return { sql: sql.trim(), from: start, line: state.doc.lineAt(start).number };
}

/**
 * The place in a text of one of PostgreSQL's positions. PostgreSQL counts characters from 1; a text of the browser counts
 * UTF-16 units from 0.
 */
export function offsetOf(text: string, position: number): number {
  let offset = 0;
  for (let left = position - 1; left > 0 && offset < text.length; left--) {
    offset += (text.codePointAt(offset) as number) > 0xffff ? 2 : 1;
  }
  return offset;
}

/** The end of the word at a place, or of the single character there. */
export function endOfWord(text: string, from: number): number {
  const [word] = /^(?:[\p{L}\p{N}_$]+|"[^"]*"?|'[^']*'?|.)/su.exec(text.slice(from)) ?? [""];
  return from + word.length;
}
