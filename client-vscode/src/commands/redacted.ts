/** What leaves the machine by hand: without the user's name, home folder, tokens and addresses. */

import * as os from "node:os";
import * as vscode from "vscode";

const SECRETS = [
  /\b(?:hf|sk|gh[pousr]|glpat|xox[abp])[-_][A-Za-z0-9_-]{16,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/g,
  /\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b/g,
  /((?:api[_-]?key|token|password|passwd|secret)["']?\s*[:=]\s*["']?)[^\s"',}]{6,}/gi,
];

export function redacted(text: string, home = os.homedir()): string {
  let found = text.split(home).join("~");
  found = found.replace(/(\/home\/|\/Users\/|[A-Za-z]:\\Users\\)[^/\\\s:"'`]+/g, "$1user");
  for (const secret of SECRETS) {
    found = found.replace(secret, (_, before?: unknown) => `${typeof before === "string" ? before : ""}[removed]`);
  }
  return found;
}

export function versions(): string {
  const own = vscode.extensions.getExtension("dl-bug-lsp.dl-bug-lsp")?.packageJSON as { version?: string } | undefined;
  const tool = own?.version === undefined ? "" : `DL Bug ${own.version}, `;
  return `\n## Versions\n\n${tool}${vscode.env.appName} ${vscode.version}, ${os.platform()} ${os.release()} ${os.arch()}\n`;
}
