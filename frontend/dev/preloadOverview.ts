import { basename } from "node:path";
import type { Plugin } from "vite";

/** Where most visits begin, and what draws the charts there. Both are imported by code that has to arrive first. */
const FIRST = ["src/app/routes/overview.tsx", "src/charts/timeCanvas.ts"];

/** Lets a browser fetch and compile the code of the first page together with the shell's, and not after it has run. */
export function preloadOverview(): Plugin {
  return {
    name: "preload-overview",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const wanted = new Set<string>();
        const want = (file: string) => {
          if (wanted.has(file)) return;
          wanted.add(file);
          for (const imported of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) want(imported);
        };
        for (const source of FIRST) {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(source));
          if (!chunk) throw new Error(`The build has no chunk of ${source}`);
          want(chunk.fileName);
        }
        return [...wanted]
          .filter((file) => !html.includes(basename(file)))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "modulepreload", crossorigin: true, href: `/${file}` },
            injectTo: "head" as const,
          }));
      },
    },
  };
}
