import { Compartment, EditorState, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import type { CatalogueColumn } from "@/api/sql";
import { editing, language, markPlace } from "./editorSetUp";
import type { Place } from "./sent";
import { type Piece, statementsToRun } from "./statements";

export type EditorHandle = {
  /** The statements that are selected, or the one at the cursor. */
  toRun: () => Piece[];
  replace: (text: string) => void;
  mark: (place: Place | null) => void;
  /** Puts the cursor there. */
  go: (offset: number) => void;
};

type Props = {
  label: string;
  initial: string;
  catalogue: readonly CatalogueColumn[] | undefined;
  onRun: () => void;
  /** Called with the text when the editor goes. */
  onLeave: (text: string) => void;
  handle: Ref<EditorHandle>;
};

/** The editor of statements: CodeMirror, which keeps the text itself. */
export function Editor({ label, initial, catalogue, onRun, onLeave, handle }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const words = useRef(new Compartment());
  const run = useRef(() => true);
  run.current = () => {
    onRun();
    return true;
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once
  useEffect(() => {
    const made = new EditorView({
      parent: host.current as HTMLDivElement,
      state: EditorState.create({
        doc: initial,
        selection: { anchor: initial.length },
        extensions: [
          Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => run.current() }])),
          words.current.of(language([])),
          editing(label),
        ],
      }),
    });
    view.current = made;
    made.focus();
    return () => {
      onLeave(made.state.doc.toString());
      made.destroy();
    };
  }, []);

  useEffect(() => {
    if (catalogue) view.current?.dispatch({ effects: words.current.reconfigure(language(catalogue)) });
  }, [catalogue]);

  useImperativeHandle(handle, () => {
    const now = () => view.current as EditorView;
    return {
      toRun: () => statementsToRun(now().state),
      replace: (text) => {
        now().dispatch({
          changes: { from: 0, to: now().state.doc.length, insert: text },
          selection: { anchor: text.length },
          scrollIntoView: true,
        });
        now().focus();
      },
      mark: (place) => {
        now().dispatch({ effects: markPlace.of(place) });
      },
      go: (offset) => {
        now().dispatch({ selection: { anchor: Math.min(offset, now().state.doc.length) }, scrollIntoView: true });
        now().focus();
      },
    };
  }, []);

  return <div className="sql-editor" ref={host} />;
}
