import type { Document, LineCounter, Node, YAMLError } from 'yaml';
import { messageOf } from '../lib/errors.ts';
import { type ConfigTree, isTree } from './tree.ts';

/** A YAML text taken apart. */
export interface ParsedYaml {
  /** undefined where the text makes no sense as a whole, and only `problems` counts. */
  readonly tree: ConfigTree | undefined;
  readonly problems: readonly { readonly line: number | undefined; readonly text: string }[];
  /** Line (from 1) of the key, or of the nearest one above it. */
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

/** Reads YAML 1.2; doubled keys, aliases that multiply and anything but a map are problems. Nothing is thrown. */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  try {
    const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
    const problems = document.errors.map((error) => describeError(error, lines));
    // After the first mistakes the rest is mostly their echo.
    if (document.errors.some((error) => error.code !== 'DUPLICATE_KEY')) return createBroken(problems.slice(0, 5));
    const value: unknown = document.toJS({ maxAliasCount: 50 }) ?? {};
    const noMap = { line: 1, text: 'found no map; allowed: sections with keys, such as "service:"' };
    if (!isTree(value)) return createBroken([...problems, noMap]);
    return {
      // A section whose keys are all commented out reads as null: it counts as absent. Deeper nulls are errors.
      tree: Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null)),
      problems,
      lineOf: (path) => {
        const offset = findOffset(yaml, document, path);
        return offset === undefined ? undefined : lines.linePos(offset).line;
      },
    };
  } catch (error) {
    // `toJS` counts what aliases multiply.
    return createBroken([{ line: undefined, text: `not readable as YAML: ${messageOf(error)}` }]);
  }
}

/** A value and where it is to stand; `isText` keeps what looks like a number a text. */
interface YamlChange {
  readonly path: readonly string[];
  readonly text: string;
  readonly isText: boolean;
}

/** The text with one value changed or added, all else as it was, and what it now says. @throws Error where it is no YAML */
export async function setYamlValue(
  text: string,
  { path, text: value, isText }: YamlChange,
): Promise<{ readonly text: string; readonly tree: ConfigTree }> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const [problem] = document.errors;
  if (problem !== undefined) throw problem;
  // Sections whose keys are all commented out are null: they have to be maps before a key can stand in them.
  for (let length = 1; length < path.length; length += 1) makeMap(yaml, document, path.slice(0, length));
  document.setIn(path, isText ? value : yaml.parse(value));
  const tree: unknown = document.toJS({ maxAliasCount: 50 });
  return { text: withComments(text, document.toString({ lineWidth: 0 })), tree: isTree(tree) ? tree : {} };
}

/** The new text with the old one's comment lines as they stood: the library moves some of them in. */
function withComments(before: string, after: string): string {
  const isComment = (line: string) => /^\s*#/.test(line);
  const comments = before.split('\n').filter(isComment);
  const lines = after.split('\n');
  const moved = lines.filter(isComment);
  const isSame =
    moved.length === comments.length && moved.every((line, index) => line.trim() === comments[index]?.trim());
  if (!isSame) return after;
  return lines.map((line) => (isComment(line) ? (comments.shift() ?? line) : line)).join('\n');
}

/** What is no map yet becomes one, under the comments that it had. */
function makeMap(yaml: Yaml, document: Document.Parsed, section: readonly string[]): void {
  const before = document.getIn(section, true);
  if (yaml.isMap(before)) return;
  const map = document.createNode({});
  const comments = yaml.isScalar(before) ? [before.commentBefore, before.comment] : [];
  map.commentBefore = comments.filter((comment) => typeof comment === 'string').join('\n') || null;
  document.setIn(section, map);
}

type Yaml = typeof import('yaml');

function createBroken(problems: ParsedYaml['problems']): ParsedYaml {
  return { tree: undefined, problems, lineOf: () => undefined };
}

function describeError(error: YAMLError, lines: LineCounter) {
  const hint = error.code === 'TAB_AS_INDENT' ? ' (indent with spaces)' : '';
  const why = error.code === 'RESOURCE_EXHAUSTION' ? 'nested too deeply' : error.message.split('\n')[0]?.slice(0, 120);
  return { line: lines.linePos(error.pos[0]).line, text: `not valid YAML: ${why}${hint}` };
}

/** Where the key begins, or the nearest one above it that is there; undefined where none is. */
function findOffset(yaml: Yaml, document: Document.Parsed, path: readonly PropertyKey[]): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const part of path) {
    let key: unknown;
    if (yaml.isMap(node)) {
      const pair = node.items.find((item) => yaml.isScalar(item.key) && String(item.key.value) === String(part));
      key = pair?.key;
      node = pair?.value;
    } else {
      key = yaml.isSeq(node) && typeof part === 'number' ? node.items[part] : undefined;
      node = key;
    }
    const start = (key as Node | undefined)?.range?.[0];
    if (start === undefined) break;
    offset = start;
  }
  return offset;
}
