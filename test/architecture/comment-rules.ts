import { findHardWords } from '../hard-words.ts';
import type { Rule } from './rule.ts';

const widest = 100;

/** How comments read: they are held to the plain English of the pages. */
export const commentRules: readonly Rule[] = [
  {
    name: 'comments avoid the words that readers of the pages stumble over',
    reason: 'a comment is read by a newcomer, as a page is',
    find: (modules) =>
      modules.flatMap(({ path, comments }) =>
        comments.flatMap(({ line, text }) =>
          findHardWords(text.replaceAll(/`[^`]*`/g, '')).map((word) => `${path}:${line}: ${word}`),
        ),
      ),
    broken: [
      { 'src/lib/units.ts': '/** The tunnel, as it was. */\nexport const tunnel = 1;' },
      { 'src/lib/units.ts': '/**\n * The uplink; undefined where there\n * is none.\n */' },
      { 'src/lib/units.ts': '// The tunnel is made\n// anew.' },
      { 'test/unit/units.test.ts': 'const word = 1; // Whoever asks.' },
    ],
  },
  {
    name: 'no comment begins with "The same"',
    reason: 'it points at a neighbour, which the next change moves away',
    find: (modules) =>
      modules.flatMap(({ path, comments }) =>
        comments
          .filter(({ text }) => /^the same\b/i.test(text))
          .map(({ line, text }) => `${path}:${line}: ${text.slice(0, 60)}`),
      ),
    broken: [
      { 'src/lib/units.ts': '/** The same for days. */\nexport const days = 1;' },
      { 'src/lib/units.ts': '/**\n * The same\n * for days.\n */\nexport const days = 1;' },
      { 'src/lib/units.ts': '// The same again.' },
    ],
  },
  {
    name: `no line of a comment is wider than ${widest} columns`,
    reason: 'comments are read beside the code, whose lines the formatter breaks at this width',
    find: (modules) =>
      modules.flatMap(({ path, comments }) =>
        comments.flatMap(({ line, lines }) =>
          lines
            .map((text, index) => ({ at: line + index, width: text.length }))
            .filter(({ width }) => width > widest)
            .map(({ at, width }) => `${path}:${at}: ${width} columns`),
        ),
      ),
    broken: [
      { 'src/lib/units.ts': `/** ${'word '.repeat(20)}*/` },
      { 'src/lib/units.ts': `/**\n * Units.\n * ${'word '.repeat(20)}\n */` },
      { 'src/lib/units.ts': `const text = '${'x'.repeat(80)}'; // ${'y'.repeat(20)}` },
    ],
  },
];
