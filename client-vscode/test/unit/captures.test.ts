import { beforeEach, describe, expect, it } from "vitest";
import { Captures } from "../../src/capture/captures";
import { tracebackOf, Tracker } from "../../src/capture/debugging";
import { NotebookCapture } from "../../src/capture/notebooks";
import { runsProgram, TerminalCapture } from "../../src/capture/terminal";
import type { Asking } from "../../src/protocol";
import { Uri, world } from "../fake/vscode";

class Recorder implements Asking {
  isRunning = true;
  sent: [string, object][] = [];
  execute<T>(command: string, argument: object = {}): Promise<T> {
    this.sent.push([command, argument]);
    return Promise.resolve({ failures: [] } as T);
  }
  sources(command: string): string[] {
    return this.sent.filter(([name]) => name === command).map(([, argument]) => (argument as { source: string }).source);
  }
}

const quiet = { info: () => undefined, warn: () => undefined };
const listed = (source: string) => ({ report: "r", source, workspace: "", log: null, failures: [] });
const settled = () => new Promise((resolve) => setImmediate(resolve));
let server: Recorder;
let waiting: number[];
let captures: Captures;

beforeEach(() => {
  world.reset();
  server = new Recorder();
  waiting = [];
  captures = new Captures(server, quiet, (count) => waiting.push(count), () => ["disk_full"]);
});

describe("captured texts", () => {
  it("go to the server with their source", async () => {
    await captures.failed("terminal: a", "ValueError: x");
    expect(server.sent).toEqual([
      ["dlBug.localize", { text: "ValueError: x", source: "terminal: a", captured: true, program: true, ignoredCategories: ["disk_full"] }],
    ]);
  });
  it("are passed over where there is nothing", async () => {
    await captures.failed("terminal: a", " \n");
    expect(server.sent).toEqual([]);
  });
  it("wait for the server, the latest of each source, and follow once it runs", async () => {
    server.isRunning = false;
    await captures.failed("a", "1");
    await captures.failed("b", "2");
    await captures.failed("a", "3");
    await captures.succeeded("b");
    server.isRunning = true;
    await captures.flush();
    expect(server.sent.map(([, one]) => (one as { text: string }).text)).toEqual(["3"]);
    expect(waiting).toEqual([1, 2, 2, 1, 0]);
  });
  it("are bounded while they wait", async () => {
    server.isRunning = false;
    for (let i = 0; i < 50; i++) {
      await captures.failed(`${i}`, "x");
    }
    expect(waiting.at(-1)).toBe(20);
  });
  it("are taken back only where their source is shown", async () => {
    await captures.succeeded("a");
    captures.take([listed("a")]);
    await captures.succeeded("a");
    expect(server.sources("dlBug.resolve")).toEqual(["a"]);
  });
});

describe("the terminal", () => {
  const wanted = { terminal: true, tasks: true };
  let capture: TerminalCapture;
  beforeEach(() => {
    Object.assign(wanted, { terminal: true, tasks: true });
    capture = new TerminalCapture(captures, { terminal: () => wanted.terminal, tasks: () => wanted.tasks });
  });

  async function ran(command: string, pieces: string[], exitCode: number | undefined, name = "bash", cwd?: string): Promise<void> {
    async function* read() {
      yield* pieces;
    }
    const execution = { commandLine: { value: command }, read, ...(cwd ? { cwd: Uri.file(cwd) } : {}) };
    world.started.fire({ terminal: { name }, execution });
    world.ended.fire({ terminal: { name }, execution, exitCode });
    await settled();
    await settled();
  }

  it("tells of a command that failed, in all its pieces", async () => {
    await ran("python train.py", ["Trace", "back"], 1);
    expect(server.sent[0]?.[1]).toMatchObject({ text: "Traceback", source: "terminal: python train.py" });
  });
  it.each([[0], [130], [undefined]])("tells nothing of exit code %s", async (code) => {
    await ran("python train.py", ["x"], code);
    expect(server.sources("dlBug.localize")).toEqual([]);
  });
  it("takes a failure back when the same command ends well", async () => {
    captures.take([listed("terminal: python train.py")]);
    await ran("python other.py", [], 0);
    await ran("python train.py", [], 0);
    expect(server.sources("dlBug.resolve")).toEqual(["terminal: python train.py"]);
  });
  it("names the folder where it is not the only one", async () => {
    world.folders = ["/home/a", "/home/b"];
    await ran("pytest", ["E"], 1, "bash", "/home/b");
    expect(server.sources("dlBug.localize")).toEqual(["terminal: pytest (b)"]);
  });
  it("can be turned off, tasks on their own", async () => {
    wanted.terminal = false;
    world.tasks = ["train"];
    await ran("a", ["x"], 1);
    await ran("b", ["x"], 1, "train");
    wanted.tasks = false;
    await ran("c", ["x"], 1, "train");
    expect(server.sources("dlBug.localize")).toEqual(["terminal: b"]);
  });
  it.each(["python train.py", "CUDA_VISIBLE_DEVICES=0 python3.12 -m lab.train", "torchrun --nproc-per-node 2 train.py", "./run.sh --lr 1", "cd a && make train", "uv run train.py", "/opt/venv/bin/python x.py"])(
    "knows a program: %s",
    (command) => expect(runsProgram(command)).toBe(true),
  );
  it.each(["git log", "ls nothing", "cat ./a.py", "grep -r x ./src", "cargo build", "false", ""])("knows a tool: %s", (command) =>
    expect(runsProgram(command)).toBe(false),
  );
  it("hears nothing more once it is disposed", async () => {
    capture.dispose();
    await ran("a", ["x"], 1);
    expect(server.sent).toEqual([]);
  });
});

describe("the debugger", () => {
  const frames = [
    { name: "forward", line: 9, source: { path: "/w/model.py" } },
    { name: "<module>", line: 3, source: { path: "/w/train.py" } },
    { name: "hidden", line: 0 },
  ];
  const info = { exceptionId: "RuntimeError", description: "d", details: { typeName: "RuntimeError", message: "shapes" } };
  const session = (answer: (command: string) => unknown) =>
    ({ name: "Train", configuration: { name: "Train" }, customRequest: (command: string) => Promise.resolve(answer(command)) }) as never;
  const event = (name: string, body: object) => ({ type: "event", event: name, body });

  it("writes a stack as Python prints it", () => {
    expect(tracebackOf(info, frames)).toBe(
      'Traceback (most recent call last):\n  File "/w/train.py", line 3, in <module>\n  File "/w/model.py", line 9, in forward\nRuntimeError: shapes\n',
    );
  });
  it("writes the paths of a remote window's stack as the program knows them", () => {
    const remote = [{ name: "forward", line: 9, source: { path: "vscode-remote://ssh-remote%2Bgpu:22/w/my%20model.py" } }];
    expect(tracebackOf(info, remote)).toContain('File "/w/my model.py", line 9, in forward\n');
  });
  it("asks for the exception when a session stops on one, and does not tell it twice", async () => {
    const tracker = new Tracker(session((command) => (command === "exceptionInfo" ? info : { stackFrames: frames })), captures);
    tracker.onDidSendMessage(event("stopped", { reason: "breakpoint", threadId: 1 }));
    tracker.onDidSendMessage(event("stopped", { reason: "exception", threadId: 1 }));
    await settled();
    tracker.onDidSendMessage(event("exited", { exitCode: 1 }));
    await settled();
    expect(server.sources("dlBug.localize")).toEqual(["debug: Train"]);
  });
  it("falls back on the output of a session that failed", async () => {
    const tracker = new Tracker(session(() => Promise.reject(new Error("gone"))), captures);
    tracker.onDidSendMessage(event("output", { category: "telemetry", output: "no" }));
    tracker.onDidSendMessage(event("output", { category: "stderr", output: "ValueError: x\n" }));
    tracker.onDidSendMessage(event("stopped", { reason: "exception" }));
    await settled();
    tracker.onDidSendMessage(event("exited", { exitCode: 1 }));
    await settled();
    expect(server.sent.map(([, one]) => (one as { text: string }).text)).toEqual(["ValueError: x\n"]);
  });
});

describe("notebooks", () => {
  const cell = (success: boolean | undefined, endTime: number, items: [string, string][] = []) => ({
    notebook: { uri: Uri.file("/w/explore.ipynb") },
    document: { uri: Uri.parse("vscode-notebook-cell:/w/explore.ipynb#W2") },
    executionSummary: { success, timing: { startTime: 0, endTime } },
    outputs: [{ items: items.map(([mime, text]) => ({ mime, data: new TextEncoder().encode(text) })) }],
  });
  const changed = async (one: object) => {
    world.notebook.fire({ cellChanges: [{ cell: one, executionSummary: (one as { executionSummary: object }).executionSummary }], contentChanges: [] });
    await settled();
  };
  const error = JSON.stringify({ name: "KeyError", message: "'a'", stack: "Cell In[1], line <a href='vscode-notebook-cell:/x'>2</a>\nKeyError: 'a'" });

  it("tell of a cell that ended in an error, once", async () => {
    const capture = new NotebookCapture(captures, () => true);
    const one = cell(false, 5, [["application/vnd.code.notebook.stdout", "epoch 1"], ["application/vnd.code.notebook.error", error]]);
    await changed(one);
    await changed(one);
    expect(server.sent).toHaveLength(1);
    expect(server.sent[0]?.[1]).toMatchObject({
      source: "notebook: explore.ipynb#W2",
      text: "epoch 1\nCell In[1], line 2\nKeyError: 'a'\n",
    });
    capture.dispose();
  });
  it("take it back when the cell ends well or is removed", async () => {
    const capture = new NotebookCapture(captures, () => true);
    captures.take([listed("notebook: explore.ipynb#W2")]);
    await changed(cell(true, 6));
    world.notebook.fire({ cellChanges: [], contentChanges: [{ removedCells: [cell(true, 7)] }] });
    await settled();
    expect(server.sources("dlBug.resolve")).toHaveLength(2);
    capture.dispose();
  });
  it("can be turned off", async () => {
    const capture = new NotebookCapture(captures, () => false);
    await changed(cell(false, 5, [["application/vnd.code.notebook.error", error]]));
    expect(server.sent).toEqual([]);
    capture.dispose();
  });
});
