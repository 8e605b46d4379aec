/** One comment, however many lines it has. */
export interface Comment {
  /** Where it begins, from 1. */
  readonly line: number;
  /** What it says, without its marks, on one line. */
  readonly text: string;
  /** The whole lines of the file that it is on, with the code beside it. */
  readonly lines: readonly string[];
}

/** A comment as the parser gives it: the places of its first character and of the one after it. */
interface Place {
  readonly type: 'Line' | 'Block';
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** The comments of a file. Lines of `//` that follow each other are one comment. */
export function readComments(text: string, places: readonly Place[]): readonly Comment[] {
  const joined: Place[] = [];
  for (const place of places) {
    const before = joined.at(-1);
    if (before !== undefined && isContinued(text, before, place))
      joined.splice(-1, 1, {
        ...before,
        value: `${before.value}\n${place.value}`,
        end: place.end,
      });
    else joined.push(place);
  }
  return joined.map(({ value, start, end }) => {
    const from = text.lastIndexOf('\n', start - 1) + 1;
    const to = text.indexOf('\n', end);
    return {
      line: text.slice(0, start).split('\n').length,
      text: value
        .split('\n')
        .map((line) => line.replace(/^\s*\*?\s*/, '').trim())
        .filter((line) => line !== '')
        .join(' '),
      lines: text.slice(from, to === -1 ? undefined : to).split('\n'),
    };
  });
}

function isContinued(text: string, before: Place, next: Place): boolean {
  return (
    before.type === 'Line' &&
    next.type === 'Line' &&
    isAlone(text, before) &&
    /^\n[ \t]*$/.test(text.slice(before.end, next.start))
  );
}

/** True where no code is before it on its line. */
function isAlone(text: string, { start }: Place): boolean {
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start).trim() === '';
}
