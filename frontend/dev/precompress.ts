import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** What compresses well. Fonts and pictures are compressed already. */
const TEXT = /\.(js|css|html|svg|json)$/;

/** Below this many bytes an answer fits one packet either way. */
const LEAST_BYTES = 1_000;

/** Writes a Brotli (.br) and a gzip (.gz) file beside each text file of the build. The service sends whichever fits. */
export function precompress(): Plugin {
  let folder = "";
  return {
    name: "precompress",
    apply: "build",
    configResolved: (config) => {
      folder = config.build.outDir;
    },
    writeBundle: () => {
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!TEXT.test(name) || name.startsWith(".vite")) continue;
        const path = join(folder, name);
        const content = readFileSync(path);
        if (content.length < LEAST_BYTES) continue;
        const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params: size }));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}
