/**
 * A policy set as YAML text. It is written as the service writes it in an export, and read as the service reads a policy file: the
 * same plain words are texts, and JSON is YAML too. Both sides are tested with backend/server/src/test/resources/policy-set.yaml.
 */
import {
  Composer,
  CST,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  Parser,
  Scalar,
  type ScalarTag,
  stringify,
  type Tags,
  type YAMLError,
} from "yaml";
import type { PolicySet } from "@/api/types";
import { asSet, bare, NoSet } from "./draft";

/** As in the service's files. */
const DEEPEST = 50;

/** The service's rule for a value without quotes: `yes`, `~`, `0x10` and `22:30` are texts. */
const PLAIN: ScalarTag[] = [
  plain(
    "null",
    /^(?:null)?$/,
    (value) => value == null,
    () => new Scalar(null),
  ),
  plain(
    "bool",
    /^(?:true|false)$/,
    (value) => typeof value === "boolean",
    (text) => text === "true",
  ),
  plain(
    "float",
    /^(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|-?\.inf|\.nan)$/,
    (value) => typeof value === "number",
    exactNumber,
  ),
];

const SCHEMA = { schema: "failsafe", customTags: (tags: Tags) => [...tags, ...PLAIN] } as const;

export function writeSet(set: PolicySet): string {
  return stringify(bare(set), {
    ...SCHEMA,
    aliasDuplicateObjects: false,
    blockQuote: "literal",
    lineWidth: 0,
    singleQuote: true,
  });
}

/** Throws an error that says what is wrong, with line and column. */
export function readSet(text: string): PolicySet {
  const lines = new LineCounter();
  const fault = (at: number, message: string) => {
    const { line, col } = lines.linePos(at);
    return new Error(`Line ${line}, column ${col}: ${message}`);
  };
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  for (const token of tokens) {
    const refused = refusedIn(token);
    if (refused) throw fault(...refused);
  }
  const [document, another] = new Composer({ ...SCHEMA, stringKeys: true }).compose(tokens, true, text.length);
  if (!document) throw fault(0, "There is no text.");
  const [first] = document.errors;
  if (first) throw fault(first.pos[0], sentenceOf(first, text));
  if (another) throw fault(another.range[0], "A policy set is one document, and another one begins here.");
  try {
    return asSet(document.toJS());
  } catch (error) {
    throw error instanceof NoSet ? fault(placeOf(document.contents, error.path), error.message) : error;
  }
}

function plain(
  name: string,
  test: RegExp,
  identify: (value: unknown) => boolean,
  resolve: ScalarTag["resolve"],
): ScalarTag {
  return {
    tag: `tag:yaml.org,2002:${name}`,
    default: true,
    test,
    identify,
    resolve,
    stringify: ({ value }) => String(value),
  };
}

/** JavaScript's numbers are doubles: what they cannot hold is refused, not rounded. */
function exactNumber(text: string, onError: (message: string) => void): number {
  const number = Number(text);
  if (!Number.isFinite(number)) onError(`${text} is not a number that JSON has.`);
  else if (/^-?[0-9]+$/.test(text) && !Number.isSafeInteger(number))
    onError(`${text} would lose digits: the largest whole number here is ${Number.MAX_SAFE_INTEGER}.`);
  return number;
}

/** The first thing that is YAML and refused here, and its place in the text. */
function refusedIn(token: CST.Token): [at: number, message: string] | undefined {
  if (token.type !== "document") return undefined;
  let refused: [number, string] | undefined;
  CST.visit(token, ({ start, key, sep, value }, path) => {
    if (path.length > DEEPEST) {
      const at = (value ?? key ?? start[0])?.offset ?? token.offset;
      refused = [at, `It is nested too deeply: at most ${DEEPEST} levels are allowed.`];
      return CST.visit.BREAK;
    }
    for (const each of [...start, key, ...(sep ?? []), value]) {
      if (!each) continue;
      const why = refusal(each);
      if (!why) continue;
      refused = [each.offset, why];
      return CST.visit.BREAK;
    }
    return undefined;
  });
  return refused;
}

function refusal(token: CST.Token): string | undefined {
  switch (token.type) {
    case "alias":
      return `The alias ${token.source} is not allowed here. Write the value itself.`;
    case "anchor":
      return `The anchor ${token.source} is not allowed here. Write the value where it is needed.`;
    case "tag":
      return `The tag ${token.source} is not allowed here. A value in quotes is a text.`;
    default:
      return undefined;
  }
}

/** The parser's message, but for those that speak of the parser and not of the text. */
function sentenceOf({ code, message, pos: [at] }: YAMLError, text: string): string {
  if (code === "NON_STRING_KEY") return "A name must be a text.";
  if (code !== "DUPLICATE_KEY") return message;
  const [name = ""] = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:]+)/.exec(text.slice(at)) ?? [];
  return `“${name.replace(/^["']|["']$/g, "")}” is there twice.`;
}

/** Where the name or the item at a path begins; what is missing is looked for where it should be. */
function placeOf(root: ParsedNode | null, path: readonly (string | number)[]): number {
  let node = root;
  let place = root?.range[0] ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (!pair) break;
      place = pair.key.range[0];
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      const item = node.items[step];
      if (!item) break;
      place = item.range[0];
      node = item;
    } else break;
  }
  return place;
}
