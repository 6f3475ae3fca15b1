/** An SVG path through values from 0 (the bottom) to `most` (the top), evenly spaced over a box. */
export function linePath(values: readonly number[], most: number, width: number, height: number): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values
    .map((value, i) => {
      const y = height - 1 - (Math.min(value, most) / most) * (height - 2);
      return `${i === 0 ? "M" : "L"}${(i * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}
