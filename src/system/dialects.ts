/**
 * How a program that is kept running is talked with: it answers each line, and complains about one
 * that it does not know.
 */
export interface Dialect {
  readonly argv: readonly [string, ...string[]];
  /** The whole complaint about a line that holds this word alone: it marks the end of an answer. */
  readonly endOf: (marker: string) => RegExp;
  /**
   * A question that anything of its kind answers: what has answered none is told to change nothing.
   */
  readonly test: string;
  /**
   * What is not asked for so long ends: it takes memory, and ip remembers which interface had which
   * name.
   */
  readonly idleMs: number;
  /** What a complaint holds that is more than a warning. */
  readonly refusal: RegExp;
  /** It answers in plain text, which may be empty, and not in JSON. */
  readonly isPlain?: true;
}

// It goes on after a line that failed: what is to stop there is given a line at a time.
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
    test: 'list tables inet',
    // Longer than from one renewal of the permit to the next.
    idleMs: 30_000,
  },
} as const satisfies Readonly<Record<string, Dialect>>;

/** What was said in answer to a line; `refusal`: why it was not obeyed. */
export type Answer = { readonly text: string; readonly refusal?: string };

/**
 * The answer up to its end, in what was said on both streams; undefined: the end is still to come.
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

/** True for JSON from its beginning to its end, as far as that is seen without parsing it. */
export function isWholeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text.slice(-10));
}
