import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { precompress } from "./dev/precompress";
import { preloadOverview } from "./dev/preloadOverview";

const service = process.env.HEADGATE_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react(), preloadOverview(), precompress()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  // Host and Origin are forwarded unchanged: the service answers only pages of its own origin.
  server: { host: "127.0.0.1", proxy: { "/api": { target: service, ws: true } } },
  preview: { host: "127.0.0.1", proxy: { "/api": { target: service, ws: true } } },
  build: {
    outDir: "dist",
    target: "es2022",
    chunkSizeWarningLimit: 900,
    manifest: true, // tells dev/budget.mjs which files a page needs
    // Browsers compile files side by side. And React makes errors as it is loaded: with a debugger attached, V8 then reads the
    // whole file around it once more. What all pages share is one file: in a dozen small ones it came in three turns of six
    // connections. What draws charts stays apart, as it is loaded after the page.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|scheduler)\// },
            {
              name: "shared",
              test: /\/src\/((api|format|policy|range|stream|ui)\/|charts\/(?!timeCanvas|Xy|xy|picture))/,
            },
          ],
        },
      },
    },
  },
  test: {
    environment: "node",
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    setupFiles: ["dev/testSetup.ts"],
    testTimeout: 60_000,
    maxWorkers: "100%", // by default all cores but one: of CI's two, one
  },
});
