import { readdirSync, readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import biome from "../biome.json";

/**
 * biome.json forbids imports between the features that it names. These tests check that it names every feature, and
 * that no import evades it by a relative path.
 */
const SRC = fileURLToPath(new URL(".", import.meta.url));
const FEATURES = readdirSync(`${SRC}/features`);
const FILES = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/.test(file));
const IMPORT = /\b(?:from|import)\s*\(?\s*"([^"]+)"/g;

/** A file's imports of our own modules, as paths below src. */
function importsOf(file: string): string[] {
  return [...readFileSync(`${SRC}/${file}`, "utf8").matchAll(IMPORT)]
    .map(([, path]) => path ?? "")
    .filter((path) => path.startsWith("@/") || path.startsWith("."))
    .map((path) => (path.startsWith("@/") ? path.slice(2) : posix.join(dirname(file), path)));
}

function featureOf(path: string): string | undefined {
  return /^features\/([^/]+)/.exec(path)?.[1];
}

describe("walls", () => {
  it("finds the imports that it judges", () => {
    expect(FEATURES.length).toBeGreaterThan(5);
    expect(FILES.filter((file) => importsOf(file).some(featureOf)).length).toBeGreaterThan(3);
  });

  it("lets no feature import another one or the app", () => {
    for (const file of FILES.filter(featureOf)) {
      for (const imported of importsOf(file)) {
        expect([featureOf(file), undefined], `${file} imports ${imported}`).toContain(featureOf(imported));
        expect(imported, file).not.toMatch(/^app\//);
      }
    }
  });

  it("lets what is shared import no feature and nothing of the app", () => {
    for (const file of FILES.filter((each) => /^(api|charts|stream|format|policy|range|sql|ui)\//.test(each))) {
      expect(
        importsOf(file).filter((imported) => /^(features|app)\//.test(imported)),
        file,
      ).toEqual([]);
    }
  });

  it("lets only what knows which layer lies on top use Mantine's dialogs", () => {
    const uses = /import[^;]*\b(Modal|Drawer)\b[^;]*from "@mantine\/core"/;
    expect(FILES.filter((file) => uses.test(readFileSync(`${SRC}/${file}`, "utf8")))).toEqual(["ui/layers.tsx"]);
  });

  it("has the styles of every component of Mantine's that is used", () => {
    const used = FILES.flatMap((file) =>
      [...readFileSync(`${SRC}/${file}`, "utf8").matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)]
        .flatMap(([, names = ""]) => names.split(","))
        .map((name) => name.trim().replace(/ as .*/, "")),
    );
    const styles = readdirSync(`${SRC}/../node_modules/@mantine/core/styles`);
    const parts = readFileSync(`${SRC}/app/mantineParts.css`, "utf8");
    const missing = used.filter((name) => styles.includes(`${name}.css`) && !parts.includes(`/${name}.css"`));
    expect(used).toContain("Switch");
    expect(missing).toEqual([]);
  });

  it("lets no chart average a percentile", () => {
    const averaged = /column: "\w*[pP]\d+Ms"[^{}]*keep: "mean"/;
    expect('{ column: "waitP99Ms", keep: "mean" }').toMatch(averaged);
    const sources = FILES.filter((file) => !file.includes(".test."));
    expect(sources.filter((file) => averaged.test(readFileSync(`${SRC}/${file}`, "utf8")))).toEqual([]);
  });

  it("has a rule of the linter for every feature", () => {
    const ruled = biome.overrides.flatMap((override) => override.includes);
    expect(ruled).toEqual(expect.arrayContaining(FEATURES.map((feature) => `src/features/${feature}/**`)));
  });
});

/**
 * A reader sees no control that the service would refuse. A file that uses a mutation asks for the role itself, or every file that
 * shows it does.
 */
describe("the role", () => {
  const MUTATION = /^export function (use\w+)\([\s\S]*?^}/gm;
  const API = FILES.filter((file) => /^api\/\w+\.ts$/.test(file) && !file.endsWith(".test.ts"));
  const text = (file: string) => readFileSync(`${SRC}/${file}`, "utf8");
  const MUTATIONS = API.flatMap((file) =>
    [...text(file).matchAll(MUTATION)]
      .filter(([body]) => /useMutation|useChange/.test(body))
      .map(([, name]) => name ?? ""),
  );
  const PAGES = FILES.filter((file) => /^(features|app)\/.*\.tsx$/.test(file) && !file.includes(".test."));
  const asks = (file: string) => /\buseMayChange\(|<Changes>/.test(text(file));
  /** The files that show a component: those beside it, and whoever imports it through the feature's index. */
  const shownBy = (file: string) => {
    const components = [...text(file).matchAll(/^export function ([A-Z]\w+)/gm)].map(([, name]) => name);
    const shown = new RegExp(`<(${components.join("|")})\\b`);
    return PAGES.filter((other) => other !== file && shown.test(text(other)));
  };

  const guarded = (file: string): boolean => {
    if (asks(file)) return true;
    const shown = shownBy(file);
    return shown.length > 0 && shown.every(guarded);
  };

  it("finds the mutations", () => {
    expect(MUTATIONS).toEqual(expect.arrayContaining(["usePutPolicySet", "useSilence", "useDeed", "usePoolAction"]));
    expect(MUTATIONS.length).toBeGreaterThan(20);
  });

  it("is asked for wherever something is changed", () => {
    const changing = PAGES.filter((file) => MUTATIONS.some((name) => new RegExp(`\\b${name}\\(`).test(text(file))));
    expect(changing.length).toBeGreaterThan(15);
    for (const file of changing) expect(guarded(file), `${file}, or what shows it, asks for no role`).toBe(true);
  });
});

describe("types of the API", () => {
  const document = JSON.parse(readFileSync(`${SRC}/../../backend/server/openapi.json`, "utf8"));
  const schemas = Object.keys(document.components.schemas);

  it("are taken from the generated ones, none typed by hand", () => {
    const taken = readFileSync(`${SRC}/api/types.ts`, "utf8").matchAll(/^export type (\w+) = (.*);$/gm);
    const names = [...taken].filter(([, name]) => name !== "Solid");
    expect(names.length).toBeGreaterThan(20);
    for (const [, name, type] of names) {
      expect(type, name).toContain('Schemas["');
    }
    expect(readFileSync(`${SRC}/api/types.ts`, "utf8")).not.toMatch(/: (string|number|boolean)\b|^export interface/m);
  });

  /** Except the stream's: its frames are checked against stream/schemas.ts at run time. */
  it("are named in one place", () => {
    const declared = new RegExp(`^export (?:type|interface) (?:${schemas.join("|")})\\b`, "m");
    expect(schemas).toContain("Pool");
    for (const file of FILES.filter((each) => !/^(api\/(types|schema\.d)\.ts|stream\/.*)$/.test(each))) {
      expect(readFileSync(`${SRC}/${file}`, "utf8"), file).not.toMatch(declared);
    }
  });
});
