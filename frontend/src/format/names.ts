/** Names as people sort them: shop-2 comes before shop-10. */
export const byName: (a: string, b: string) => number = new Intl.Collator("en", { numeric: true }).compare;
