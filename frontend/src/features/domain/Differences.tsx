import type { History } from "@/api/types";
import { said } from "@/range/range";
import { Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { differences, unevenness } from "./compare";

type Props = { title: string; then: History["total"]; now: History["total"] };

/** A hyphen at which no line breaks. */
const UNBROKEN = "\u2011";

/** The figures of two ranges beside each other. */
export function Differences({ title, then, now }: Props) {
  const zone = useZone();
  if (!then || !now) return null;
  const spanOf = ({ from, to }: NonNullable<History["total"]>) =>
    said({ from: Date.parse(from), to: Date.parse(to) }, zone).replaceAll("-", UNBROKEN);
  const uneven = unevenness(then, now);
  return (
    <Panel title={`Compared with ${title}`}>
      {then.measuredMs === 0 ? (
        <p className="empty">Nothing is kept of it.</p>
      ) : (
        <div className="scroll-x">
          <table className="differences" data-testid="differences">
            <thead>
              <tr>
                <th scope="col">Figure</th>
                <th scope="col" className="r">
                  {spanOf(then)}
                </th>
                <th scope="col" className="r">
                  {spanOf(now)}
                </th>
                <th scope="col" className="r">
                  Difference
                </th>
              </tr>
            </thead>
            <tbody>
              {differences(then, now).map(({ name, before, now, by, percent, worse }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td className="r num">{before}</td>
                  <td className="r num">{now}</td>
                  <td className="r num">
                    {worse && (
                      <b className="worse">
                        <span aria-hidden="true">▲</span> worse{" "}
                      </b>
                    )}
                    <span className="word">{by}</span> <span className="word percent muted">{percent}</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {uneven && (
            <p className="muted small pad">
              {uneven === "some"
                ? "Counts are compared as if as much had been measured of both."
                : "Too little was measured of one of them to say what became worse."}
            </p>
          )}
        </div>
      )}
    </Panel>
  );
}
