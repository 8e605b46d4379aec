/**
 * How to talk with a program that is kept running. It answers each line, and complains about a line
 * that it does not know.
 */
export interface Dialect {
  readonly argv: readonly [string, ...string[]];
  /**
   * Matches the program's whole complaint about a line with this unknown word alone, which we send
   * to mark the end of an answer.
   */
  readonly endOf: (marker: string) => RegExp;
  /**
   * A question that every version of the program answers. A program that has answered nothing yet
   * is asked it before it is told to change anything.
   */
  readonly test: string;
  /**
   * A program that gets no line for this long (ms) is ended: it takes memory, and ip remembers old
   * names of interfaces.
   */
  readonly idleMs: number;
  /** Matches a complaint that is more than a warning. */
  readonly refusal: RegExp;
  /** True where it answers in plain text, which may be empty; otherwise it answers in JSON. */
  readonly isPlain?: true;
}

// `-force` makes it go on after a line that failed. Lines that have to stop at a failure are
// therefore given one at a time.
const batch = ['-json', '-details', '-force', '-batch', '-'];
const ip: Omit<Dialect, 'argv'> = {
  endOf: (marker) =>
    new RegExp(`Object "${marker}" is unknown, try "\\w+ help"\\.\\nCommand failed -:\\d+\\n`),
  refusal: /^Command failed -:\d+$/m,
  test: 'link show lo',
  idleMs: 2_000,
};

export const dialects = {
  ip: { ...ip, argv: ['ip', ...batch] },
  'ip -6': { ...ip, argv: ['ip', '-6', ...batch] },
  tc: {
    ...ip,
    argv: ['tc', '-force', '-batch', '-'],
    test: 'qdisc show dev lo',
    idleMs: 10_000,
    isPlain: true,
  },
  nft: {
    argv: ['nft', '--json', '--interactive'],
    endOf: (marker) => new RegExp(`Error: [^\\n]*\\n${marker}\\n *\\^+\\n`),
    refusal: /^Error: /m,
    // For a list of tables, nft would read every element of every set, and keep them.
    test: 'list chains inet',
    // The permit is renewed within this time, so the program is kept between two renewals.
    idleMs: 30_000,
  },
} as const satisfies Readonly<Record<string, Dialect>>;

/** What the program answered to a line; `refusal` says why it did not obey. */
export type Answer = { readonly text: string; readonly refusal?: string };

/**
 * The answer in what was read from both streams so far, up to its end; undefined while the end is
 * missing.
 */
export function findAnswer(
  { out, err }: { readonly out: string; readonly err: string },
  marker: string,
  { endOf, refusal }: Pick<Dialect, 'endOf' | 'refusal'>,
): Answer | undefined {
  const end = endOf(marker).exec(err);
  if (end === null) return undefined;
  const complaint = err.slice(0, end.index);
  return {
    text: out,
    ...(refusal.test(complaint) && { refusal: complaint.trim().replace(/\s+/g, ' ') }),
  };
}

/** True for text that begins and ends like JSON; it is not parsed. */
export function isWholeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text.slice(-10));
}
