import { parseJson } from '../../src/lib/parse-json.ts';
import type { Random } from './random.ts';

/** What programs, services and people write where something else was expected. */
const pieces = [
  ...[
    '',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '\0',
    '\u001b[2J',
    '\u202e',
    '\ufeff',
    'é',
    '💧',
    '\ud800',
    '"',
    "'",
    '\\',
    '`$(id)`',
  ],
  ...[
    '0',
    '-1',
    '1e308',
    '9007199254740993',
    '1'.repeat(400),
    'NaN',
    'null',
    'true',
    '[',
    '{',
    ']}',
    '[[[['.repeat(200),
  ],
  ...[
    '__proto__',
    'constructor',
    '0.0.0.0/0',
    '::ffff:1.2.3.4',
    '255.255.255.255/33',
    '%eth0',
    '../../etc/passwd',
    '%s%n',
  ],
  ...[
    'Thu, 01 Jan 1970 00:00:00 GMT',
    '99999-99-99T99:99:99Z',
    '#',
    ';',
    '=',
    ',',
    '-'.repeat(5000),
    'a'.repeat(70_000),
  ],
] as const;

const values: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER + 2,
    '',
    ' ',
    '\u001b]0;x\u0007',
    [],
    {},
    [[]],
    [null],
  ],
  ...[
    { __proto__: null },
    { error: {} },
    { error: 'no' },
    'x'.repeat(70_000),
    Array.from({ length: 2000 }, () => 0),
  ],
];

/** The sample with a few things wrong, such that the same random numbers give the same text. */
export function mutate(sample: string, others: readonly string[], random: Random): string {
  let text = random.chance(0.4) ? mutateJson(sample, random) : sample;
  for (let left = random.below(4); left > 0; left -= 1) text = mutateText(text, others, random);
  return text;
}

function mutateText(text: string, others: readonly string[], random: Random): string {
  const from = random.below(text.length + 1);
  const to = Math.min(text.length, from + random.below(random.chance(0.5) ? 4 : text.length + 1));
  const [before, middle, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  const other = random.pick(others);
  switch (random.below(6)) {
    case 0:
      return before;
    case 1:
      return `${before}${after}`;
    case 2:
      return `${before}${middle}${middle}${after}`;
    case 3:
      return `${before}${random.pick(pieces)}${after}`;
    case 4:
      return `${before}${other.slice(random.below(other.length + 1))}`;
    default:
      return `${before}${String.fromCharCode(random.below(0x180))}${after}`;
  }
}

/** A value somewhere in the document is another one; the text itself where it is no JSON. */
function mutateJson(text: string, random: Random): string {
  const document = parseJson(text);
  if (typeof document !== 'object' || document === null) return text;
  let parent = document as Record<string, unknown>;
  for (;;) {
    const key = random.pick([...Object.keys(parent), 'new']);
    const value = parent[key];
    if (typeof value !== 'object' || value === null || random.chance(0.2)) {
      if (random.chance(0.2)) delete parent[key];
      else parent[key] = random.pick(values);
      return JSON.stringify(document);
    }
    parent = value as Record<string, unknown>;
  }
}
