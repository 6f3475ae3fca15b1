import { type KeyboardEvent, type Ref, useEffect, useRef, useState } from "react";

type Props = {
  value: string;
  onChange: (value: string) => void;
  label: string;
  placeholder?: string;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  box?: Ref<HTMLInputElement>;
};

const SETTLE_MS = 150;

/** A field that filters a list. It tells of a change when the typing pauses. Escape empties it. */
export function FilterBox({ value, onChange, label, placeholder, onKeyDown, box }: Props) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  useEffect(() => {
    if (text === told.current) return;
    const timer = setTimeout(() => {
      told.current = text;
      onChange(text);
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <span className="inp filter-box">
      <input
        ref={box}
        type="search"
        aria-label={label}
        placeholder={placeholder ?? "Name, database, tier, label, state"}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && text !== "") {
            event.stopPropagation();
            setText("");
          }
          onKeyDown?.(event);
        }}
      />
    </span>
  );
}
