import { type KeyboardEvent, type Ref, useEffect, useEffectEvent, useRef, useState } from "react";

type Props = {
  value: string;
  onChange: (value: string) => void;
  label: string;
  placeholder?: string;
  maxLength?: number;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  box?: Ref<HTMLInputElement>;
};

const SETTLE_MS = 150;

/** A field that filters a list. It tells of a change when the typing pauses. Escape empties it. */
export function FilterBox({ value, onChange, label, placeholder, maxLength, onKeyDown, box }: Props) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = useEffectEvent(onChange);
  useEffect(() => {
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  useEffect(() => {
    if (text === told.current) return;
    const timer = setTimeout(() => {
      told.current = text;
      tell(text);
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <span className="inp filter-box">
      <input
        ref={box}
        type="search"
        aria-label={label}
        placeholder={placeholder ?? "Name, database, tier, label, state"}
        maxLength={maxLength}
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
