/**
 * What stood in each domain's editor when its page was left. It lasts as long as the page is not loaded anew, and is never stored: it
 * may set a password.
 */
const texts = new Map<string, string>();

export const leave = (domain: string, text: string) => void texts.set(domain, text);

export const left = (domain: string) => texts.get(domain);
