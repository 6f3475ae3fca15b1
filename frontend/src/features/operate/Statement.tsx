import { NONE } from "@/format/format";

/** A statement without its values, cut to a few lines. */
export function Statement({ text }: { text: string | null | undefined }) {
  if (!text) return <span className="faint">{NONE}</span>;
  return (
    <code className="statement" title={text}>
      {text}
    </code>
  );
}
