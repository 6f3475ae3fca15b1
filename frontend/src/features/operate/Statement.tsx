import { NONE } from "@/format/format";
import { Help } from "@/ui/Help";

/** So many characters are not cut. */
const SHORT = 60;

/** A statement without its values, cut to a few lines; a click shows all of it. */
export function Statement({ text }: { text: string | null | undefined }) {
  if (!text) return <span className="faint">{NONE}</span>;
  const code = <code className="statement">{text}</code>;
  if (text.length <= SHORT) return code;
  return (
    <Help className="bare" text={text}>
      {code}
    </Help>
  );
}
