/** A question before something that reaches many, refuses work or cannot be undone. */
import { type ReactNode, useState } from "react";
import { sentence } from "@/api/problem";
import { age } from "@/format/format";
import { freshness, serverNow } from "@/stream/browser";
import { isCurrent } from "@/stream/freshness";
import { useNow } from "@/stream/hooks";
import { Modal } from "./layers";

export type Question = {
  title: string;
  /** What will happen to whom, a sentence each. They stay, so that no button moves under the pointer. */
  lines: readonly string[];
  /** Whether they have figures of the live stream. Their age is said while no newer ones come. */
  streamed?: boolean;
  /** How it is taken back, or that it cannot be. */
  undo?: string;
  /** The button's text: a verb and what it acts on. */
  action: string;
  danger?: boolean;
  /** The other button's text, where "Cancel" would be read as the action. */
  keep?: string;
  /** A name to be typed first, for what cannot be undone. */
  typed?: string;
};

type Props = {
  /** Null while nothing is asked. */
  question: Question | null;
  busy?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children?: ReactNode;
};

export function Confirm({ question, ...rest }: Props) {
  return (
    <Modal opened={question !== null} onClose={rest.onClose} size={460} title={question?.title ?? ""}>
      {question && <Body key={question.title} question={question} {...rest} />}
    </Modal>
  );
}

function Body({ question, busy, error, onConfirm, onClose, children }: Props & { question: Question }) {
  const [typed, setTyped] = useState("");
  const blocked = busy || (question.typed !== undefined && typed !== question.typed);
  return (
    <form
      className="stack"
      style={{ gap: 12 }}
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation(); // React passes it on to a form that the question stands in, although the page does not
        if (!blocked) onConfirm();
      }}
    >
      <ul className="consequences">
        {question.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {question.streamed && <AgeOfFigures />}
      {children}
      {question.undo && <p className="muted">{question.undo}</p>}
      {question.typed !== undefined && (
        <label className="stack" style={{ gap: 4 }}>
          <span>
            Type <b>{question.typed}</b> to continue
          </span>
          <span className="inp">
            <input value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" data-autofocus />
          </span>
        </label>
      )}
      {error != null && (
        <p className="note bad" role="alert">
          {sentence(error)}
        </p>
      )}
      <p className="row" style={{ gap: 8, justifyContent: "flex-end" }}>
        <button
          type="button"
          className="btn"
          onClick={onClose}
          data-autofocus={question.typed === undefined || undefined}
        >
          {question.keep ?? "Cancel"}
        </button>
        <button type="submit" className={`btn ${question.danger ? "danger" : "pri"}`} disabled={blocked}>
          {busy ? "Working…" : question.action}
        </button>
      </p>
    </form>
  );
}

/** How old the figures are that were there when this was shown, while no newer ones come. */
function AgeOfFigures() {
  const now = useNow();
  const [at] = useState(() => serverNow() - freshness().ageMs);
  if (isCurrent(freshness().level) || !Number.isFinite(at)) return null;
  return (
    <p className="note warn" role="status">
      The live stream is interrupted: these figures are {age(now - at)} old.
    </p>
  );
}
