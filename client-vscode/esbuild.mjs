// Bundles the extension into dist/extension.js; `vscode` is given by the editor.
import { build } from "esbuild";

await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  mainFields: ["module", "main"],
  legalComments: "none",
  logLevel: "warning",
});
