/** The whole number that is written in a field, or null. A body has no value for "12x": it would say that the field was left out. */
export const wholeNumber = (text: string): number | null => (/^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : null);

/** What a field says whose text is none. */
export const NO_WHOLE_NUMBER = "must be a whole number";
