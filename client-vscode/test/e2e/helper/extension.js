// For the tests: a notebook kernel (IPython in a process of its own), debugpy's adapter, a language model, a command that
// changes settings.
const { spawn } = require("node:child_process");
const path = require("node:path");
const readline = require("node:readline");
const vscode = require("vscode");

const PYTHON = process.env.DL_BUG_TEST_PYTHON;

class Kernel {
  constructor(folder) {
    this.process = spawn(PYTHON, ["-u", path.join(__dirname, "kernel.py")], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
    this.lines = readline.createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async run(code) {
    this.process.stdin.write(`${JSON.stringify(code)}\n`);
    return JSON.parse((await this.lines.next()).value);
  }
}

exports.activate = (context) => {
  const controller = vscode.notebooks.createNotebookController("dl-bug-tests", "jupyter-notebook", "Test Kernel");
  controller.supportedLanguages = ["python"];
  controller.supportsExecutionOrder = true;
  let kernel;
  controller.executeHandler = async (cells, notebook) => {
    kernel ??= new Kernel(path.dirname(notebook.uri.fsPath));
    for (const cell of cells) {
      const execution = controller.createNotebookCellExecution(cell);
      execution.start(Date.now());
      const { count, printed, error } = await kernel.run(cell.document.getText());
      execution.executionOrder = count;
      const items = [];
      if (printed) items.push(vscode.NotebookCellOutputItem.stdout(printed));
      if (error) items.push(vscode.NotebookCellOutputItem.error(error));
      await execution.replaceOutput(items.map((item) => new vscode.NotebookCellOutput([item])));
      execution.end(!error, Date.now());
      if (error) break;
    }
  };
  const asked = [];
  const model = {
    provideLanguageModelChatInformation: () => [{ id: "second", name: "Second", family: "second", version: "1", maxInputTokens: 100_000, maxOutputTokens: 1_000, capabilities: {} }],
    provideLanguageModelChatResponse: async (_model, messages, _options, progress) => {
      asked.push(messages.flatMap((message) => message.content.map((part) => part.value ?? "")).join("\n"));
      progress.report(new vscode.LanguageModelTextPart('{"order": [2, 1], "why": "the width is decided there"}'));
    },
    provideTokenCount: async () => 1,
  };
  const changeSettings = async () => {
    const settings = JSON.parse(await vscode.window.showInputBox());
    for (const [key, value] of Object.entries(settings)) {
      await vscode.workspace.getConfiguration().update(key, value ?? undefined, vscode.ConfigurationTarget.Global);
    }
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("tests.changeSettings", changeSettings),
    controller,
    vscode.lm.registerLanguageModelChatProvider?.("dl-bug-tests", model) ?? { dispose: () => undefined },
    { dispose: () => kernel?.process.kill() },
    vscode.debug.registerDebugAdapterDescriptorFactory("debugpy", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(PYTHON, ["-m", "debugpy.adapter"]),
    }),
  );
  return { asked };
};
