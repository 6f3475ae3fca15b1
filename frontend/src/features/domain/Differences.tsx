import type { History } from "@/api/types";
import { Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { differences } from "./compare";
import { said } from "./range";

type Props = { title: string; then: History["total"]; now: History["total"] };

/** The figures of two ranges beside each other. */
export function Differences({ title, then, now }: Props) {
  const zone = useZone();
  if (!then || !now) return null;
  const spanOf = ({ from, to }: NonNullable<History["total"]>) =>
    said({ from: Date.parse(from), to: Date.parse(to) }, zone);
  return (
    <Panel
      title={
        <>
          Compared with {title}{" "}
          <span className="muted" style={{ fontWeight: 400, marginLeft: 8 }}>
            {spanOf(then)}
          </span>
        </>
      }
    >
      {then.measuredMs === 0 ? (
        <p className="empty">Nothing is kept of it.</p>
      ) : (
        <div className="scroll-x">
          <table className="differences" data-testid="differences">
            <thead>
              <tr>
                <th scope="col">Figure</th>
                <th scope="col" className="r">
                  Then
                </th>
                <th scope="col" className="r">
                  Now
                </th>
                <th scope="col" className="r" colSpan={2}>
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
                  <td className="r num">{by}</td>
                  <td className="r num">
                    {worse && (
                      <b className="worse">
                        <span aria-hidden="true">▲</span> worse{" "}
                      </b>
                    )}
                    {percent}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
