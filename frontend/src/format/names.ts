/** Names as people sort them: shop-2 comes before shop-10. */
export const byName: (a: string, b: string) => number = new Intl.Collator("en", { numeric: true }).compare;

/** What people call an alarm: "at ceiling" for "at-ceiling". */
export const alarmName = (code: string): string => code.replaceAll("-", " ");
