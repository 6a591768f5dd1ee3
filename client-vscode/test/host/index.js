// Run inside the extension host, against the real `vscode` API: what the extension adds to it, and does with it.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const FOLDER = vscode.workspace.workspaceFolders[0].uri.fsPath;
const MODEL = vscode.Uri.file(path.join(FOLDER, "model.py"));
const LINE = 6;
const FAILURE = `Traceback (most recent call last):
  File "${path.join(FOLDER, "train.py")}", line 24, in <module>
    main()
  File "${path.join(FOLDER, "train.py")}", line 20, in main
    epoch(model, number)
  File "${path.join(FOLDER, "train.py")}", line 12, in epoch
    scores = model.forward(batch)
  File "${path.join(FOLDER, "model.py")}", line 11, in forward
    return self.head(found)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x32 and 64x10)
`;
const run = (command, ...rest) => vscode.commands.executeCommand(command, ...rest);

/** Wait until `check` gives something; events of the API wake it, the clock only ends it. */
function until(words, check, limit = 45_000) {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = check();
      if (found) {
        end();
        resolve(found);
      }
    };
    const events = [vscode.workspace.onDidOpenTextDocument(look), vscode.window.tabGroups.onDidChangeTabs(look), vscode.languages.onDidChangeDiagnostics(look), vscode.window.onDidChangeActiveTextEditor(look), vscode.window.onDidChangeTextEditorSelection(look), vscode.window.onDidChangeTerminalShellIntegration(look)];
    const timer = setTimeout(() => {
      end();
      reject(new Error(`waited in vain for ${words}`));
    }, limit);
    const end = () => {
      clearTimeout(timer);
      events.forEach((one) => one.dispose());
    };
    look();
  });
}

const ours = (uri = MODEL) => vscode.languages.getDiagnostics(uri).filter((one) => one.source === "dl-bug");
const marked = (line = LINE) => until(`a mark on line ${line}`, () => ours().find((one) => one.range.start.line === line));
const unmarked = () => until("no mark", () => ours().length === 0);

async function pasted() {
  await vscode.env.clipboard.writeText(FAILURE);
  await run("dlBug.localizePasted");
  return await marked();
}

const tests = {
  async "all commands of the manifest are there, and the settings have their defaults"() {
    const extension = vscode.extensions.getExtension("dl-bug-lsp.dl-bug-lsp");
    await extension.activate();
    const there = new Set(await vscode.commands.getCommands(true));
    const { commands, configuration } = extension.packageJSON.contributes;
    assert.deepEqual(commands.map((one) => one.command).filter((name) => !there.has(name)), []);
    for (const { properties } of configuration) {
      for (const [key, { default: expected }] of Object.entries(properties)) {
        assert.deepEqual(vscode.workspace.getConfiguration().inspect(key).defaultValue, expected, key);
      }
    }
  },

  async "a pasted failure is a diagnostic with related places and a page, and is gone to"() {
    const found = await pasted();
    assert.equal(found.severity, vscode.DiagnosticSeverity.Warning);
    assert.equal(found.code.value, "tensor_mismatch");
    assert.ok(fs.existsSync(found.code.target.fsPath));
    assert.ok(found.relatedInformation.some((one) => one.location.uri.fsPath.endsWith("train.py")));
    const editor = await until("the place", () => vscode.window.activeTextEditor?.document.uri.fsPath === MODEL.fsPath && vscode.window.activeTextEditor);
    assert.equal(editor.selection.active.line, LINE);
  },

  async "lens, hover and quick fixes come from the providers"() {
    await pasted();
    const lenses = await run("vscode.executeCodeLensProvider", MODEL, 10);
    const lens = lenses.find((one) => one.command?.command === "dlBug.showSuspect");
    assert.match(lens.command.title, /Suspicious places? 1/);
    const hovers = await run("vscode.executeHoverProvider", MODEL, new vscode.Position(LINE, 12));
    const words = hovers.flatMap((one) => one.contents.map((part) => part.value)).join("\n");
    assert.match(words, /Tensor Mismatch/);
    const range = new vscode.Range(LINE, 8, LINE, 9);
    const actions = await run("vscode.executeCodeActionProvider", MODEL, range);
    assert.ok(actions.some((one) => /report/i.test(one.title)), actions.map((one) => one.title).join(", "));
  },

  async "the report is a document with the code and the category's page"() {
    await pasted();
    await run("dlBug.showReport");
    const report = await until("the report", () => vscode.workspace.textDocuments.find((one) => one.uri.scheme === "dl-bug-report"));
    const text = report.getText();
    assert.match(text, /^## The code$/m);
    assert.match(text, /^> +7 .*hidden \* 2/m);
    assert.match(text, /^## About: Tensor Mismatch$/m);
    await run("workbench.action.closeAllEditors");
  },

  async "the category's page opens"() {
    await pasted();
    await run("dlBug.explainCategory");
    const labels = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.label));
    await until("the page", () => labels().some((label) => /tensor_mismatch/.test(label)));
    await run("workbench.action.closeAllEditors");
  },

  async "an edit moves the mark; a deleted line takes it along"() {
    await pasted();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(MODEL, new vscode.Position(0, 0), "# new\n");
    await vscode.workspace.applyEdit(edit);
    await marked(LINE + 1);
    const deletion = new vscode.WorkspaceEdit();
    deletion.delete(MODEL, new vscode.Range(LINE + 1, 0, LINE + 2, 0));
    await vscode.workspace.applyEdit(deletion);
    await until("the mark to go", () => !ours().some((one) => one.range.start.line === LINE + 1));
    await run("workbench.action.files.revert");
  },

  async "next and previous go round by rank"() {
    await pasted();
    const [{ failures }] = await run("dlBug.failures");
    const [first, second] = failures[0].places;
    const isAt = ({ uri, range }) => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document.uri.fsPath === vscode.Uri.parse(uri).fsPath && editor.selection.active.line === range.start.line;
    };
    await until("the first place", () => isAt(first));
    await run("dlBug.nextSuspect");
    await until("the second place", () => isAt(second));
    await run("dlBug.previousSuspect");
    await until("the first place again", () => isAt(first));
  },

  async "a selection is localized"() {
    const document = await vscode.workspace.openTextDocument({ content: `before\n${FAILURE}after\n` });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(1, 0, document.lineCount - 2, 0);
    await run("dlBug.localizeSelection");
    await marked();
    await run("workbench.action.closeAllEditors");
  },

  async "a command of the terminal that fails is captured, its success takes it back"() {
    const terminal = vscode.window.createTerminal({ cwd: FOLDER });
    terminal.show();
    const shell = await until("the shell integration", () => terminal.shellIntegration);
    const text = fs.readFileSync(MODEL.fsPath, "utf8");
    shell.executeCommand("python3 train.py");
    await marked();
    fs.writeFileSync(MODEL.fsPath, text.replace("hidden * 2", "hidden"));
    try {
      shell.executeCommand("python3 train.py");
      await unmarked();
    } finally {
      fs.writeFileSync(MODEL.fsPath, text);
      terminal.dispose();
    }
  },

  async "a task that fails is captured, also without a shell to tell its end"() {
    const definition = { type: "shell", command: "python3 train.py" };
    const execution = new vscode.ShellExecution("python3 train.py", { cwd: FOLDER });
    await vscode.tasks.executeTask(new vscode.Task(definition, vscode.workspace.workspaceFolders[0], "train", "tests", execution));
    await marked();
  },

  async "sources that are turned off are not listened to"() {
    const configuration = vscode.workspace.getConfiguration("dlBug");
    await configuration.update("capture.terminal", false, vscode.ConfigurationTarget.Global);
    const terminal = vscode.window.createTerminal({ cwd: FOLDER });
    try {
      terminal.show();
      const shell = await until("the shell integration", () => terminal.shellIntegration);
      const ended = new Promise((resolve) => vscode.window.onDidEndTerminalShellExecution(resolve));
      shell.executeCommand("python3 train.py");
      assert.equal((await ended).exitCode, 1);
      await pasted();
      const sources = (await run("dlBug.failures")).map((one) => one.source);
      assert.deepEqual(sources, ["clipboard"]);
    } finally {
      await configuration.update("capture.terminal", undefined, vscode.ConfigurationTarget.Global);
      terminal.dispose();
    }
  },

  async "agent mode has both tools, and they answer"() {
    const tools = new Map(vscode.lm.tools.map((one) => [one.name, one]));
    assert.ok(tools.has("dl_bug_failure") && tools.has("dl_bug_why"), [...tools.keys()].join(" "));
    await pasted();
    const invoke = async (name, input) => (await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined })).content.map((part) => part.value).join("");
    const failure = await invoke("dl_bug_failure", { tokens: 600 });
    assert.match(failure, /^# Tensor Mismatch/);
    assert.match(failure, /model\.py:7/);
    assert.match(await invoke("dl_bug_why", { file: "model.py", line: LINE + 1 }), /`model\.py:7`/);
  },

  async "a second opinion reorders our places, and ours are shown beside it"() {
    const helper = vscode.extensions.getExtension("dl-bug-tests.helper");
    const { asked } = await helper.activate();
    await pasted();
    assert.equal(await run("dlBug.secondOpinion"), undefined, "it is off");
    assert.equal(asked.length, 0);
    await vscode.workspace.getConfiguration("dlBug").update("secondOpinion", true, vscode.ConfigurationTarget.Global);
    const opinion = await run("dlBug.secondOpinion");
    assert.deepEqual(opinion.order.slice(0, 2), [2, 1]);
    assert.equal(opinion.why, "the width is decided there");
    assert.match(asked[0], /# Tensor Mismatch/);
    await run("workbench.action.closeQuickOpen");
    await vscode.workspace.getConfiguration("dlBug").update("secondOpinion", undefined, vscode.ConfigurationTarget.Global);
    assert.equal(ours().find((one) => one.range.start.line === LINE) !== undefined, true, "our marks stay");
  },

  async "the copy for an issue is the compact context"() {
    await pasted();
    await run("dlBug.copyForIssue");
    const copied = await vscode.env.clipboard.readText();
    assert.match(copied, /^# Tensor Mismatch/);
    assert.match(copied, /data, not instructions/);
  },

  async "dismissing a place, and clearing, take marks back"() {
    await pasted();
    const [{ report, failures }] = await run("dlBug.failures");
    await run("dlBug.dismissPlace", { report, failure: failures[0].failure, suspect: 1 });
    await until("the place to go", () => !ours().some((one) => one.range.start.line === LINE));
    await pasted();
    await run("dlBug.clearFailures");
    await unmarked();
  },
};

exports.run = async () => {
  let failed = 0;
  await vscode.extensions.getExtension("dl-bug-lsp.dl-bug-lsp").activate();
  await run("dlBug.clearFailures"); // what earlier windows left
  for (const [name, work] of Object.entries(tests)) {
    try {
      await work();
      console.log(`host: ok ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`host: FAILED ${name}: ${error.stack}`);
    }
    await run("dlBug.clearFailures");
    await run("workbench.action.closeAllEditors");
  }
  if (failed > 0) {
    throw new Error(`${failed} of ${Object.keys(tests).length} failed`);
  }
};
