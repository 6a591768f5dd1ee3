import { describe, expect, it } from "vitest";
import { label, looksLikeFailure, Tail, withoutLinks } from "../../src/capture/text";

describe("the tail of a run's output", () => {
  it("keeps all within the limit", () => {
    const tail = new Tail(10);
    tail.add("abc");
    tail.add("def");
    expect(tail.text()).toBe("abcdef");
  });
  it("lets go of the oldest pieces, and of one piece's beginning", () => {
    const tail = new Tail(6);
    for (const piece of ["abc", "def", "gh"]) {
      tail.add(piece);
    }
    expect(tail.text()).toBe("defgh");
    tail.add("0123456789");
    expect(tail.text()).toBe("456789");
  });
  it("stays bounded over a hundred thousand pieces", () => {
    const tail = new Tail(1000);
    for (let i = 0; i < 100_000; i++) {
      tail.add(`${i % 10}`);
    }
    expect(tail.text()).toHaveLength(1000);
    expect((tail as unknown as { pieces: string[] }).pieces.length).toBeLessThan(5000);
  });
});

describe("what looks like a failure", () => {
  it.each([
    "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nValueError: x",
    "torch.OutOfMemoryError: CUDA out of memory.",
    "E       AssertionError: assert 1 == 2",
    "RuntimeError",
    "usage: train.py [-h]\ntrain.py: error: unrecognized arguments: --lr",
    "Killed",
  ])("%s", (text) => expect(looksLikeFailure(text)).toBe(true));
  it.each(["", "  \n", "https://example.org/a", "def error_rate(x):\n    return 1 - x", "epoch 3: loss 0.2"])("not: %s", (text) =>
    expect(looksLikeFailure(text)).toBe(false),
  );
  it("is told in bounded time of a hostile text", () => {
    expect(looksLikeFailure(`${" ".repeat(200_000)}x`)).toBe(false);
    expect(looksLikeFailure("a.".repeat(100_000))).toBe(false);
    expect(looksLikeFailure(`${"\n".repeat(200_000)}x`)).toBe(false);
  });
});

describe("texts", () => {
  it("loses the links of the Jupyter extension", () => {
    const text = "----> <a href='vscode-notebook-cell:/a.ipynb#W0sZmlsZQ%3D%3D?line=2'>3</a> model(x) if a<b else c";
    expect(withoutLinks(text)).toBe("----> 3 model(x) if a<b else c");
  });
  it("is one short line as a label", () => {
    expect(label("a\nb\tc")).toBe("a b c");
    expect(label("x".repeat(200))).toHaveLength(120);
  });
});
