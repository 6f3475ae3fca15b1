/** How the editor behaves and looks, apart from React: CodeMirror's extensions, in the dashboard's colours. */
import {
  autocompletion,
  type Completion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, type SQLNamespace, sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { CatalogueColumn } from "@/api/sql";
import type { Place } from "./sent";

export const markPlace = StateEffect.define<Place | null>();

/** The mark under a wrong place. It goes away with the next edit. */
const place = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const effect = transaction.effects.find((each) => each.is(markPlace));
    if (!effect) return transaction.docChanged ? Decoration.none : marks;
    const at = effect.value as Place | null;
    const to = Math.min(at?.to ?? 0, transaction.newDoc.length); // the text may have become shorter meanwhile
    if (!at || at.from >= to) return Decoration.none;
    return Decoration.set(Decoration.mark({ class: "sql-wrong" }).range(at.from, to));
  },
  provide: (field) => EditorView.decorations.from(field),
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent-text)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn-text)" },
  { tag: tags.typeName, color: "var(--accent-text)" },
  { tag: tags.comment, color: "var(--faint-text)", fontStyle: "italic" },
]);

const look = EditorView.theme({
  "&": { fontSize: "13px", color: "var(--text)", backgroundColor: "transparent", maxHeight: "40vh" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", minHeight: "112px" },
  ".cm-content": { caretColor: "var(--text)", padding: "10px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint-text)", border: "0" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--line-soft)", outline: "1px solid var(--line)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--line)",
    borderRadius: "6px",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px 8px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--text)",
  },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal" },
});

export function editing(label: string): Extension {
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false }),
    place,
    syntaxHighlighting(colours),
    look,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off" }),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
  ];
}

/** PostgreSQL's words, and completion of what the catalogue has. */
export function language(catalogue: readonly CatalogueColumn[]): Extension {
  return sql({ dialect: PostgreSQL, schema: namespace(catalogue), upperCaseKeywords: true });
}

/** Tables by schema, and by their bare name where that suffices. */
export function namespace(catalogue: readonly CatalogueColumn[]): SQLNamespace {
  const schemas: Record<string, Record<string, Completion[]>> = {};
  const bare: Record<string, Completion[]> = {};
  for (const { schema, table, visible, column, type } of catalogue) {
    schemas[schema] ??= {};
    const tables = schemas[schema];
    tables[table] ??= [];
    tables[table].push({ label: column, detail: type, type: "property" });
    if (visible) bare[table] = tables[table];
  }
  return { ...schemas, ...bare };
}
