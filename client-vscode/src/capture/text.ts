/** Texts of runs: keeping their end within bounds, and telling whether they look like a failure. */

/** Characters of a run's output that are kept, from its end. */
export const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Gathers output piece by piece; what is beyond the limit goes from the beginning, in whole pieces. */
export class Tail {
  private pieces: string[] = [];
  private first = 0;
  private length = 0;

  constructor(private readonly limit = MOST_CHARACTERS) {}

  add(piece: string): void {
    if (piece.length > this.limit) {
      piece = piece.slice(-this.limit);
    }
    this.pieces.push(piece);
    this.length += piece.length;
    while (this.length > this.limit) {
      this.length -= this.pieces[this.first]!.length;
      this.pieces[this.first++] = "";
    }
    // Moved rarely, so that a program that prints for days costs no more a piece than one that does not.
    if (this.first > 1024 && this.first * 2 > this.pieces.length) {
      this.pieces = this.pieces.slice(this.first);
      this.first = 0;
    }
  }

  text(): string {
    return this.pieces.slice(this.first).join("");
  }
}

const SIGNS = [
  /Traceback \(most recent call last\)/,
  /Traceback \(innermost last\)/,
  /^[ \t]{0,100}(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Warning|Exit)\b\s*(?::|$)/m,
  /^E {3,}\S/m,
  /\bCUDA error\b|\bout of memory\b/i,
  /^(?:Fatal Python error|Segmentation fault|Killed|Bus error)/m,
  /^[ \t]{0,100}File "[^"\n]{1,500}", line \d+/m,
  /\berror: /,
];
const MOST_SEARCHED = 256 * 1024;

/** Whether a text looks like what a failed run prints; used on the clipboard alone, never to refuse a text. */
export function looksLikeFailure(text: string): boolean {
  if (text.trim() === "") {
    return false;
  }
  const searched = text.length > MOST_SEARCHED ? text.slice(-MOST_SEARCHED) : text;
  return SIGNS.some((sign) => sign.test(searched));
}

/** Take away the links that the Jupyter extension puts into tracebacks: `<a href='…'>3</a>` is `3`. */
export function withoutLinks(text: string): string {
  return text.replace(/<a href=(['"])[^'"<>]{0,2000}\1>([^<]{0,500})<\/a>/g, "$2");
}

/** One line of a label: without controls, and not too long. */
export function label(text: string, longest = 120): string {
  // eslint-disable-next-line no-control-regex
  const line = text.replace(/[\u0000-\u001f\u007f]+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}
