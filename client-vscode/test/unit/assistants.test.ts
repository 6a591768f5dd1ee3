import { beforeEach, describe, expect, it } from "vitest";
import { HandingOver, OPEN_CHAT } from "../../src/assistants/handingOver";
import { read, SecondOpinion } from "../../src/assistants/secondOpinion";
import { registerTools } from "../../src/assistants/tools";
import type { Listed } from "../../src/protocol";
import { Failures } from "../../src/views/failures";
import { world } from "../fake/vscode";

const place = (suspect: number, line: number) => ({ suspect, score: 0.5, uri: "file:///w/model.py", range: { start: { line, character: 0 }, end: { line, character: 9 } } });
const LISTED: Listed[] = [
  { report: "new", source: "paste", workspace: "file:///w", log: null, failures: [{ failure: "y", primary: true, category: "tensor_mismatch", message: "RuntimeError", reliable: true, places: [place(1, 6), place(2, 9), place(3, 12)] }] },
];
const CONTEXT = "# Tensor Mismatch (100 %)";

class Server {
  isRunning = true;
  asked: { command: string; argument: object | undefined }[] = [];
  ready = () => Promise.resolve(true);
  execute<T>(command: string, argument?: object): Promise<T> {
    this.asked.push({ command, argument });
    const answers: Record<string, unknown> = { "dlBug.failures": LISTED, "dlBug.report": CONTEXT, "dlBug.why": { text: "`x` is `3`" } };
    return Promise.resolve(answers[command] as T);
  }
}

let server: Server;
let failures: Failures;
let handing: HandingOver;
beforeEach(async () => {
  world.reset();
  server = new Server();
  failures = new Failures(server);
  handing = new HandingOver(server, failures);
  await failures.refresh();
});

const call = async (name: string, argument?: unknown): Promise<unknown> => await world.commands.get(name)?.(argument);

describe("handing over", () => {
  it("copies the server's context, with the editor's version", async () => {
    await call("dlBug.copyForIssue");
    expect(world.clipboard).toContain(`${CONTEXT}\nFake 1.0.0`);
    expect(server.asked.at(-1)).toEqual({ command: "dlBug.report", argument: { report: "new", failure: undefined, tokens: undefined, format: "context" } });
  });
  it("puts the question into the chat for the user to send", async () => {
    let opened: { query: string; isPartialQuery: boolean } | undefined;
    world.commands.set(OPEN_CHAT, (argument) => (opened = argument as typeof opened));
    await call("dlBug.askAssistant", { report: "new", failure: "y" });
    expect(opened?.isPartialQuery).toBe(true);
    expect(opened?.query).toContain(CONTEXT);
    expect(world.clipboard).toBe("");
  });
  it("falls back to the clipboard where the editor has no chat", async () => {
    await call("dlBug.askAssistant");
    expect(world.clipboard).toContain(CONTEXT);
  });
});

describe("the tools of agent mode", () => {
  const invoke = async (name: string, input: unknown): Promise<string> => {
    const result = (await world.tools.get(name)!.invoke({ input })) as { content: { value: string }[] };
    return result.content[0]!.value;
  };
  it("answer with the latest failure and a line's values", async () => {
    const registered = registerTools(server, handing);
    world.folders = ["/w"];
    expect(await invoke("dl_bug_failure", { tokens: 10 })).toBe(CONTEXT);
    expect(server.asked.at(-1)?.argument).toMatchObject({ tokens: 200 });
    expect(await invoke("dl_bug_why", { file: "a/b.py", line: 3 })).toBe("`x` is `3`");
    expect(server.asked.at(-1)?.argument).toEqual({ uri: "file:///w/a/b.py", line: 3 });
    expect(await invoke("dl_bug_why", { file: 3 })).toContain("Name a 'file'");
    registered.dispose();
    expect(world.tools.size).toBe(0);
  });
});

describe("a second opinion", () => {
  let isWanted: boolean;
  beforeEach(() => {
    isWanted = true;
    new SecondOpinion(server, failures, handing, () => isWanted);
  });
  it("shows the model's order and ours", async () => {
    let prompt = "";
    world.model = (text) => {
      prompt = text;
      return 'Sure: {"order": [3, 99, 3, 1], "why": "the head is too wide $(trash)"}';
    };
    expect(await call("dlBug.secondOpinion")).toMatchObject({ order: [3, 1, 2] });
    expect(prompt).toContain(CONTEXT);
    expect(world.picks.map((one) => one.label)).toEqual(["The model's order", "1. model.py:13", "2. model.py:7", "3. model.py:10", "Our order", "1. model.py:7", "2. model.py:10", "3. model.py:13"]);
    expect(world.picks[1]).toMatchObject({ label: "1. model.py:13", detail: "the head is too wide $ (trash)" });
  });
  it("is asked for nothing while it is off, and without a model nothing changes", async () => {
    isWanted = false;
    world.model = () => "{}";
    expect(await call("dlBug.secondOpinion")).toBeUndefined();
    expect(world.said.at(-1)).toContain("dlBug.secondOpinion");
    isWanted = true;
    world.model = undefined;
    expect(await call("dlBug.secondOpinion")).toBeUndefined();
    expect(world.picks).toEqual([]);
  });
  it.each(["", "no json", "{", '{"order": "1"}', '{"order": [77]}', '{"order": [null, {}]}', "[1, 2]"])("reads no order in %j", (answer) => {
    expect(read(answer, [1, 2])).toBeUndefined();
  });
});
