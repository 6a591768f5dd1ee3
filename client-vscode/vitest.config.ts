import path from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { vscode: path.resolve(import.meta.dirname, "test/fake/vscode.ts") } },
  test: { include: ["test/unit/**/*.test.ts"] },
});
