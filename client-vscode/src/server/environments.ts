/** The interpreter that other extensions have selected: Python's or Python Environments', neither required. */

import * as vscode from "vscode";

const TIMEOUT = 10_000;

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath?(resource?: vscode.Uri): unknown;
    resolveEnvironment?(path: unknown): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}
interface EnvironmentsApi {
  getEnvironment?(scope: vscode.Uri | undefined): Promise<{ execInfo?: { run?: { executable?: string } } } | undefined>;
  onDidChangeEnvironment?: vscode.Event<unknown>;
}

export async function selectedInterpreter(resource: vscode.Uri | undefined): Promise<string | undefined> {
  const environments = await api<EnvironmentsApi>("ms-python.vscode-python-envs");
  const chosen = await soon(environments?.getEnvironment?.(resource));
  if (chosen?.execInfo?.run?.executable) {
    return chosen.execInfo.run.executable;
  }
  const python = (await api<PythonApi>("ms-python.python"))?.environments;
  const resolved = await soon(python?.resolveEnvironment?.(python.getActiveEnvironmentPath?.(resource)));
  return resolved?.executable?.uri?.fsPath;
}

/** Call `changed` when another interpreter is selected; extensions that are not active yet are left alone. */
export function onSelectionChanged(changed: () => void): vscode.Disposable {
  const of = <T>(id: string): T | undefined => {
    const extension = vscode.extensions.getExtension<T>(id);
    return extension?.isActive ? extension.exports : undefined;
  };
  const events = [
    of<EnvironmentsApi>("ms-python.vscode-python-envs")?.onDidChangeEnvironment,
    of<PythonApi>("ms-python.python")?.environments?.onDidChangeActiveEnvironmentPath,
  ];
  return vscode.Disposable.from(...events.flatMap((event) => (event ? [event(() => changed())] : [])));
}

async function api<T>(id: string): Promise<T | undefined> {
  const extension = vscode.extensions.getExtension<T>(id);
  if (extension === undefined) {
    return undefined;
  }
  return extension.isActive ? extension.exports : await soon(extension.activate());
}

/** What a promise gives, undefined where it fails or takes too long: we must start without it. */
async function soon<T>(promise: Thenable<T> | undefined): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), TIMEOUT);
  });
  try {
    return await Promise.race([promise, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
