import { beforeEach, describe, expect, it } from "vitest";
import { choices } from "../../src/commands/choices";
import { Places } from "../../src/commands/places";
import { named } from "../../src/commands/naming";
import type { Listed, Report } from "../../src/protocol";
import { Failures } from "../../src/views/failures";
import { heatOf, STEPS, step } from "../../src/views/heatMap";
import { excerpt, type ReportDocuments } from "../../src/views/report";
import { look } from "../../src/views/status";
import { FailuresTree, sourceWords } from "../../src/views/tree";
import { bar, brief, categoryName, parts, percent, shareWords } from "../../src/views/words";
import { world } from "../fake/vscode";

const range = { start: { line: 6, character: 8 }, end: { line: 6, character: 20 } };
const place = { suspect: 1, score: 0.9, uri: "file:///w/model.py", range };
const failure = (id: string, primary: boolean) => ({ failure: id, primary, category: "tensor_mismatch", message: `torch.RuntimeError: ${id}`, reliable: true, places: [place] });
const LISTED: Listed[] = [
  { report: "new", source: "terminal: python a.py", workspace: "file:///w", log: null, failures: [failure("x", false), failure("y", true)] },
  { report: "old", source: "log:a.log", workspace: "file:///w", log: "file:///w/runs/a.log", failures: [failure("z", true)] },
];
const REPORT: Report = {
  workspace: "/w",
  failures: [
    {
      id: "y",
      primary: true,
      confidence: "possible",
      category: { id: "tensor_mismatch", confidence: 1 },
      exception: null,
      suspects: [
        { rank: 1, file: "model.py", line: 7, end_line: 7, function: null, score: 0.9, evidence: [{ kind: "facts", score: 0.2, why: "`b`" }, { kind: "stack_trace", score: 0.8, why: "a" }] },
      ],
    },
  ],
};

class Server {
  isRunning = true;
  listed = LISTED;
  asked: string[] = [];
  execute<T>(command: string): Promise<T> {
    this.asked.push(command);
    return Promise.resolve((command === "dlBug.failures" ? this.listed : REPORT) as T);
  }
}

let server: Server;
let failures: Failures;
beforeEach(() => {
  world.reset();
  server = new Server();
  failures = new Failures(server);
});

describe("the tree", () => {
  it("has the newest report first and in it the primary failure, with a badge", async () => {
    const tree = new FailuresTree(failures);
    await failures.refresh();
    const items = (await tree.getChildren()).map((node) => tree.getTreeItem(node));
    expect(items.map((one) => one.label)).toEqual(["RuntimeError", "RuntimeError", "RuntimeError"]);
    expect(items.map((one) => one.description)).toEqual(["y · terminal: python a.py", "x · terminal: python a.py", "z · a.log"]);
    expect(items[0]!.tooltip).toBe("torch.RuntimeError: y\nTensor Mismatch · terminal: python a.py");
    expect(items.map((one) => one.contextValue)).toEqual(["failure", "failure", "failure log"]);
    expect(world.badge?.value).toBe(3);
    server.listed = [];
    await failures.refresh();
    expect(world.badge).toBeUndefined();
  });
  it("has a failure's places and their evidence, the strongest first; a report is asked for once", async () => {
    const tree = new FailuresTree(failures);
    await failures.refresh();
    const [first] = await tree.getChildren();
    const [found] = await tree.getChildren(first);
    expect(tree.getTreeItem(found!)).toMatchObject({ label: "1. model.py:7", contextValue: "place", command: { command: "dlBug.goToPlace" } });
    const evidence = (await tree.getChildren(found)).map((node) => tree.getTreeItem(node).label);
    await tree.getChildren(found);
    expect(evidence).toEqual(["a", "b"]);
    expect(server.asked.filter((one) => one === "dlBug.report")).toHaveLength(1);
  });
  it("shows the place and its code in a row, and all the rest in the tooltip", async () => {
    const tree = new FailuresTree(failures);
    const code = "self.classifier = nn.Sequential(nn.Linear(512, 256), nn.ReLU())";
    const other = { ...place, suspect: 2, score: 0.05, uri: "file:///w/old/model.py", text: "x = 1" };
    const places = [{ ...place, text: code, reason: "`512` is one of the sizes" }, other, { ...other, suspect: 5, number: 3, uri: "file:///w/train.py" }];
    server.listed = [{ ...LISTED[0]!, failures: [{ ...failure("y", true), doubt: "not certain", places }] }];
    await failures.refresh();
    const [first] = await tree.getChildren();
    const rows = (await tree.getChildren(first)).map((node) => tree.getTreeItem(node));
    expect(rows.map((one) => one.label)).toEqual(["1. w/model.py:7", "2. old/model.py:7", "3. train.py:7"]);
    expect(rows.map((one) => one.description)).toEqual(["self.classifier = nn.Se… · 90 %, not certain", "x = 1 · 5 %", "x = 1 · 5 %"]);
    expect(rows[0]!.tooltip).toBe(`model.py:7\n${code}\nSuspicious place 1 (90 %, not certain)\n512 is one of the sizes`);
    const why = "`hidden * 2` makes 64 of 32; the message has both sizes (worked out from the code, not from the run)";
    const evidence = tree.getTreeItem({ kind: "evidence", evidence: { kind: "facts", score: 1, why }, place });
    expect([evidence.label, evidence.description, evidence.tooltip]).toEqual(["hidden * 2 makes 64 of 32", "the message has both sizes", why.replaceAll("`", "")]);
  });
  it("keeps what it shows while the server is away", async () => {
    await failures.refresh();
    server.isRunning = false;
    await failures.refresh();
    expect(failures.shown()).toHaveLength(3);
  });
  it("names notebooks without their cells' ids", () => expect(sourceWords("notebook: a.ipynb#W1sZ", null)).toBe("notebook: a.ipynb"));
});

describe("commands", () => {
  it("are named their place by a node, a lens or nobody", async () => {
    await failures.refresh();
    const [shown] = failures.shown();
    expect(named({ kind: "failure", shown })).toEqual({ report: "new", failure: "y" });
    expect(named({ kind: "place", shown, place })).toEqual({ report: "new", failure: "y", suspect: 1 });
    expect(named({ report: "r", suspect: 2 })).toEqual({ report: "r", suspect: 2 });
    expect(named(undefined)).toEqual({});
  });
});

describe("the log of a failure", () => {
  const opened = async (answer: unknown, argument?: unknown): Promise<object | undefined> => {
    let asked: object | undefined;
    const execute = <T>(command: string, given?: object): Promise<T> => {
      asked = command === "dlBug.openLog" ? given : asked;
      return Promise.resolve((command === "dlBug.openLog" ? answer : LISTED) as T);
    };
    const waiting = { isRunning: true, ready: () => Promise.resolve(true), execute };
    const reports = { show: (report: string) => Promise.resolve(void world.opened.push(`report ${report}`)) };
    const places = new Places(waiting, failures, reports as unknown as ReportDocuments);
    await failures.refresh();
    await world.commands.get("dlBug.openLogAtFailure")!(argument);
    places.dispose();
    return asked;
  };
  const at = { start: { line: 4, character: 0 }, end: { line: 4, character: 0 } };
  it("is opened as text at its line, of the newest failure or the one named", async () => {
    expect(await opened({ uri: "file:///c/python a.py 1234.log", range: at, shown: false })).toEqual({ report: "new", failure: undefined, show: false });
    expect(await opened({ uri: "file:///w/runs/a.log", range: at, shown: false }, { report: "old", failure: "z" })).toEqual({ report: "old", failure: "z", show: false });
    expect(world.opened).toEqual(["/c/python a.py 1234.log:5", "/w/runs/a.log:5"]);
  });
  it("is its report where the text is not kept", async () => {
    await opened({ uri: null, range: null, shown: false });
    expect(world.opened).toEqual(["report new"]);
    expect(world.said.at(-1)).toContain("not kept");
  });
  it("is nothing without a failure", async () => {
    await opened(null);
    expect(world.opened).toEqual([]);
    expect(world.said).toEqual(["DL Bug: no failures"]);
  });
});

describe("the status item", () => {
  const facts = { isIndexing: false, failures: 0, waiting: 0 };
  it.each([
    [{ ...facts, state: "missing" as const }, "$(debug) DL Bug: set up", false],
    [{ ...facts, state: "missing" as const, waiting: 2 }, "$(debug) DL Bug: set up to see 2 failures", true],
    [{ ...facts, state: "running" as const }, "$(debug) DL Bug: watching", false],
    [{ ...facts, state: "running" as const, isIndexing: true }, "$(sync~spin) DL Bug: indexing", false],
    [{ ...facts, state: "running" as const, failures: 1, isIndexing: true }, "$(debug) 1 failure", false],
    [{ ...facts, state: "running" as const, failures: 1, place: "settings.py:46" }, "$(debug) 1 failure: settings.py:46", false],
    [{ ...facts, state: "stopped" as const }, "$(debug) DL Bug: stopped", true],
  ])("%o", (given, text, isWarning) => expect(look(given)).toMatchObject({ text, isWarning }));
  it("names the newest failure's first place, an unsure one as unsure", async () => {
    expect(failures.firstPlace()).toBeUndefined();
    await failures.refresh();
    expect(failures.firstPlace()).toBe("model.py:7");
    server.listed = [{ ...LISTED[0]!, failures: [{ ...failure("y", true), doubt: "not sure" }] }];
    await failures.refresh();
    expect(failures.firstPlace()).toBe("model.py:7 (not sure)");
    server.listed = [{ ...LISTED[0]!, failures: [{ ...failure("y", true), places: [] }] }];
    await failures.refresh();
    expect(failures.firstPlace()).toBeUndefined();
  });
});

describe("the report's code", () => {
  it("has numbers, a mark, and a fence that no line closes", () => {
    const lines = ["a", "b", "```", "d", "e", "f", "g", "h", "i", "j"];
    expect(excerpt(lines, 4, 4, "python")).toEqual(["````python", "  2  b", "  3  ```", "  4  d", "> 5  e", "  6  f", "  7  g", "  8  h", "````"]);
    expect(excerpt(["x"], 0, 0, "a b")).toEqual(["```", "> 1  x", "```"]);
  });
});

describe("the heat of lines", () => {
  it("is a place's or that of the tests that run it, the hotter of both", async () => {
    await failures.refresh();
    const [shown] = failures.shown();
    const two = { ...place, score: 0.5, range: { start: { line: 6, character: 0 }, end: { line: 7, character: 0 } } };
    const doubted = { ...shown!, failure: { ...shown!.failure, doubt: "not certain" } };
    const heat = heatOf([{ shown: doubted, place: two }], [{ line: 7, score: 0.9, failing: 2, passing: 1 }, { line: 6, score: 0.1, failing: 1, passing: 9 }]);
    expect([...heat]).toEqual([
      [6, { score: 0.5, words: "50 %, not certain · Tensor Mismatch" }],
      [7, { score: 0.9, words: "90 % · tests that run it: 2 fail, 1 pass" }],
    ]);
  });
});

describe("what a lens offers", () => {
  it("is the evidence, the other places that are shown, and what can be done", () => {
    const [failure] = REPORT.failures;
    const other = { ...failure!.suspects[0]!, rank: 2, line: 9 };
    const three = { ...failure!, suspects: [...failure!.suspects, other, { ...other, rank: 3 }] };
    const { items, title } = choices(three, 1, (rank) => (rank < 3 ? rank : undefined));
    expect(title).toBe("Tensor Mismatch: suspicious place 1 of 2 (90 %, not certain)");
    expect(items.map(({ label, choice }) => [label, choice])).toEqual([
      ["$(info) b", 1],
      ["$(info) a", 1],
      ["Other places", undefined],
      ["$(target) 2. model.py:9", 2],
      ["More", undefined],
      ["$(book) Show Report", "report"],
      ["$(output) Open Log at Failure", "log"],
      ["$(close) Dismiss This Place", "dismiss"],
    ]);
    const unsure = choices({ ...three, confidence: "unsure" }, 2, (rank) => rank);
    expect(unsure.title).toBe("Tensor Mismatch: suspicious place 2 of 3 (90 %, not sure)");
    expect(unsure.items.flatMap(({ description }) => description ?? [])).toEqual(["90 %, not sure", "90 %, not sure"]);
    expect(choices({ ...three, confidence: "likely" }, 1, (rank) => rank).title).toBe("Tensor Mismatch: suspicious place 1 of 3 (90 %)");
  });
});

describe("words", () => {
  it("are made of shares", () => {
    expect([percent(1), percent(0.5), percent(0.001), percent(0)]).toEqual(["100 %", "50 %", "<1 %", "<1 %"]);
    expect([bar(0), bar(0.5), bar(1.2)]).toEqual(["░".repeat(10), "█████░░░░░", "█".repeat(10)]);
    expect([categoryName("loss_nan"), categoryName("not_known_yet")]).toEqual(["Loss NaN", "not known yet"]);
  });
  it("keep the doubt of a report at each place that it concerns", () => {
    const [first, second] = [{ suspect: 1, score: 0.3 }, { suspect: 2, score: 0.11 }];
    expect([first, second].map((one) => shareWords(one, "not sure"))).toEqual(["30 %, not sure", "11 %, not sure"]);
    expect([first, second].map((one) => shareWords(one, "not certain"))).toEqual(["30 %, not certain", "11 %"]);
    expect(shareWords(first, "")).toBe("30 %");
  });
  it("are cut at their end", () => expect([brief(" a\n b ", 9), brief("abcdefgh", 8), brief("abcd efgh", 6)]).toEqual(["a b", "abcdefgh", "abcd…"]));
  it("of a message are the exception's name and the rest", () => {
    expect(["torch.cuda.OutOfMemoryError: CUDA: x", "KeyError", "the loss is NaN: step 3", ""].map(parts)).toEqual([
      { name: "OutOfMemoryError", rest: "CUDA: x" },
      { name: "KeyError", rest: "" },
      { name: "", rest: "the loss is NaN: step 3" },
      { name: "", rest: "" },
    ]);
  });
  it("put scores into steps", () => expect([0, 0.1, 0.15, 0.5, 0.7, 1].map(step)).toEqual([0, 0, 1, 2, 3, 3]));
  it("have steps that rise", () => expect([...STEPS].sort((a, b) => a - b)).toEqual(STEPS));
});
