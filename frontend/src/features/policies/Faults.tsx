import { flushSync } from "react-dom";
import { usePlugins } from "@/api/policies";
import type { PolicySet, Violation } from "@/api/types";
import { Key } from "@/ui/Field";
import { controlAt, type FaultPlace, faultPlace } from "./faultPlace";

type Props = {
  set: PolicySet;
  violations: readonly Violation[];
  /** As many are named; the others are counted. */
  most?: number;
  /** Shows the form: the fields are only there. */
  onForm: () => void;
};

/** What is wrong with a draft. Each fault names its field, by a button that leads to it. */
export function Faults({ set, violations, most = violations.length, onForm }: Props) {
  const plugins = usePlugins().data ?? [];
  const go = (button: Element, place: FaultPlace) => {
    flushSync(onForm);
    const form = button.closest(".policy");
    if (form) controlAt(form, place)?.focus();
  };
  return (
    <>
      {violations.slice(0, most).map(({ pointer, message }, i) => {
        const place = faultPlace(set, pointer ?? "", plugins);
        return (
          <span key={`${pointer} ${message}`}>
            {i > 0 && "; "}
            {place ? (
              <button type="button" className="to-fault" onClick={({ currentTarget }) => go(currentTarget, place)}>
                {place.words}
                {place.key && <Key name={place.key} />}
              </button>
            ) : (
              pointer?.slice(1)
            )}{" "}
            {message}
          </span>
        );
      })}
      {violations.length > most && `, and ${violations.length - most} more`}.
    </>
  );
}
