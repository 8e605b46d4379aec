import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The text of the README. */
export const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** Texts of the README's fenced blocks of a kind, without their indentation in a list; of one section where it is named. */
export function readBlocks(kind: string, section?: string): readonly string[] {
  return [...readSection(section).matchAll(new RegExp(`^( *)\`\`\`${kind}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** The shell text that stands, three blanks in, in the comment at the top of a file of the project. */
export function readCommentBlock(path: string): string {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  const comment = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('#')),
  );
  return comment.flatMap((line) => /^# {3}(.*)$/.exec(line)?.[1] ?? []).join('\n');
}

/** The commands of shell text, each whole: what goes on over several lines stays together. */
export function splitCommands(text: string): readonly string[] {
  // A text behind << up to its END, a line that ends with a backslash, a comment behind the command.
  return [...text.matchAll(/^.*<<'END'\n[\s\S]*?^END$|^(?:.*\\\n)*.+$/gm)].map(([command]) =>
    command.replace(/ +# .*$/, ''),
  );
}

/** The text under a heading, up to the next of its rank. @throws Error where there is none */
function readSection(title: string | undefined): string {
  if (title === undefined) return readme;
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`the README has no section "${title}"`);
  return section;
}
