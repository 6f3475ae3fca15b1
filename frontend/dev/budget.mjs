// Fails when a page needs more compressed JavaScript than its bar: node dev/budget.mjs [DIST]
// Reads the manifest of a finished build, and counts each file as gzip, which every browser accepts.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Bars in bytes, for the page's code with all that it imports before it can be drawn. */
const BARS = {
  "src/app/routes/overview.tsx": 300_000,
  "src/app/routes/domains.tsx": 300_000,
};

const dist = process.argv[2] ?? fileURLToPath(new URL("../dist", import.meta.url));
const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));

function filesOf(entry, found = new Set()) {
  const chunk = manifest[entry];
  if (!chunk)
    throw new Error(`The build has no chunk of ${entry}: the manifest names ${Object.keys(manifest).join(", ")}`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const imported of chunk.imports ?? []) filesOf(imported, found);
  return found;
}

function bytesOf(file) {
  const path = join(dist, file);
  return statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size;
}

let failed = false;
for (const [page, bar] of Object.entries(BARS)) {
  const files = [...filesOf(page, filesOf("index.html"))]
    .map((file) => [bytesOf(file), file])
    .sort((a, b) => b[0] - a[0]);
  const sum = files.reduce((total, [bytes]) => total + bytes, 0);
  const kb = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
  console.log(`${page}: ${kb(sum)} of compressed JavaScript, of at most ${kb(bar)}`);
  if (sum <= bar) continue;
  failed = true;
  for (const [bytes, file] of files) console.log(`  ${kb(bytes).padStart(9)}  ${file}`);
}
process.exit(failed ? 1 : 0);
