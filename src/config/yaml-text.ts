import type { Document, Node, YAMLError } from 'yaml';
import { messageOf } from '../lib/errors.ts';
import type { ConfigKey } from './keys.ts';
import { splitList } from './one-line.ts';
import type { Problem } from './problems.ts';
import { isTree } from './tree.ts';

/**
 * Reads YAML 1.2. Repeated keys, aliases that multiply and anything but a map are problems. Nothing
 * is thrown.
 */
export async function parseYaml(text: string, file: string) {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const toPlace = (offset?: number) =>
    offset === undefined ? file : `${file}:${lines.linePos(offset).line}`;
  const toProblem = (said: string, offset?: number): Problem => ({
    path: [],
    place: toPlace(offset),
    text: said,
  });
  const createBroken = (problems: readonly Problem[]) => ({
    tree: undefined,
    problems,
    placeOf: () => file,
  });
  try {
    const document = yaml.parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
    });
    const errors = document.errors.filter(
      ({ pos }, index, all) => pos[0] !== all[index - 1]?.pos[0],
    );
    const problems = errors.map((error) => toProblem(describeError(error), error.pos[0]));
    // After the first mistakes, the others mostly follow from them.
    if (document.errors.some((error) => error.code !== 'DUPLICATE_KEY'))
      return createBroken(problems.slice(0, 5));
    const value: unknown = document.toJS({ maxAliasCount: 50 }) ?? {};
    const noMap = 'found no map; allowed: sections with keys, such as "service:"';
    if (!isTree(value)) return createBroken([...problems, toProblem(noMap, 0)]);
    return {
      // A section whose keys are all commented out reads as null and counts as absent. Nulls
      // further down are errors.
      tree: Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null)),
      problems,
      placeOf: (key: readonly PropertyKey[]) => toPlace(findOffset(yaml, document, key)),
    };
  } catch (error) {
    // `toJS` refuses aliases that multiply too often.
    return createBroken([toProblem(`not readable as YAML: ${messageOf(error)}`)]);
  }
}

/**
 * The text with one value changed or added, and the rest unchanged.
 * @throws Error where the text is no YAML
 */
export async function setYamlValue(
  text: string,
  { path, kind }: ConfigKey,
  value: string,
): Promise<string> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const [problem] = document.errors;
  if (problem !== undefined) throw problem;
  // A section whose keys are all commented out is null. It has to be a map before it can take a
  // key.
  for (let length = 1; length < path.length; length += 1)
    makeMap(yaml, document, path.slice(0, length));
  const list = kind === 'list' ? splitList(value) : undefined;
  // Where a text is wanted, a value that looks like a number stays a text.
  document.setIn(path, list ?? (kind === 'text' ? value : yaml.parse(value)));
  return withComments(text, document.toString({ lineWidth: 0 }));
}

/**
 * The text without this key and its value, and without a section inside another one that would be
 * empty then; undefined where the text does not have the key. All comment lines stay.
 * @throws Error where the text is no YAML
 */
export async function removeYamlKey(
  text: string,
  path: readonly string[],
): Promise<string | undefined> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const [problem] = document.errors;
  if (problem !== undefined) throw problem;
  if (!document.hasIn(path)) return undefined;
  const gone = findWhatGoes(yaml, document, path);
  const around = document.getIn(gone.slice(0, -1), true);
  const pair = yaml.isMap(around)
    ? around.items.find(({ key }) => yaml.isScalar(key) && key.value === gone.at(-1))
    : undefined;
  const lines = new yaml.LineCounter();
  yaml.parseDocument(text, { lineCounter: lines, logLevel: 'error' });
  const from = (pair?.key as Node | undefined)?.range?.[0];
  const to = (pair?.value as Node | null | undefined)?.range?.[1] ?? from;
  if (!yaml.isMap(around) || around.flow === true || from === undefined || to === undefined) {
    document.deleteIn(gone);
    return withComments(text, document.toString({ lineWidth: 0 }));
  }
  const [first, last] = [lines.linePos(from).line, lines.linePos(Math.max(from, to - 1)).line];
  // Whole lines go, because the library would take the comments beside a value along.
  return text
    .split('\n')
    .filter((line, index) => index + 1 < first || index + 1 > last || /^\s*#/.test(line))
    .join('\n');
}

/** The path of the key, or of the outermost section inside another one that has nothing else. */
function findWhatGoes(
  yaml: Yaml,
  document: Document.Parsed,
  path: readonly string[],
): readonly string[] {
  const above = path.slice(0, -1);
  const around = document.getIn(above, true);
  const isAlone = above.length > 1 && yaml.isMap(around) && around.items.length === 1;
  return isAlone ? findWhatGoes(yaml, document, above) : path;
}

/**
 * The new text with the comment lines of the old one where they were: the library moves some of
 * them.
 */
function withComments(before: string, after: string): string {
  const isComment = (line: string) => /^\s*#/.test(line);
  const comments = before.split('\n').filter(isComment);
  const lines = after.split('\n');
  const moved = lines.filter(isComment);
  const isSame =
    moved.length === comments.length &&
    moved.every((line, index) => line.trim() === comments[index]?.trim());
  if (!isSame) return after;
  return lines.map((line) => (isComment(line) ? (comments.shift() ?? line) : line)).join('\n');
}

/** Makes a section that is no map yet a map, below the comments that it had. */
function makeMap(yaml: Yaml, document: Document.Parsed, section: readonly string[]): void {
  const before = document.getIn(section, true);
  if (yaml.isMap(before)) return;
  const map = document.createNode({});
  const comments = yaml.isScalar(before) ? [before.commentBefore, before.comment] : [];
  map.commentBefore = comments.filter((comment) => typeof comment === 'string').join('\n') || null;
  document.setIn(section, map);
}

type Yaml = typeof import('yaml');

function describeError(error: YAMLError): string {
  if (/IMPLICIT_KEY|BAD_INDENT/.test(error.code))
    return "not valid YAML here, probably the indentation or a stray ':'";
  const hint = error.code === 'TAB_AS_INDENT' ? ' (indent with spaces)' : '';
  const why =
    error.code === 'RESOURCE_EXHAUSTION'
      ? 'nested too deeply'
      : error.message.split('\n')[0]?.slice(0, 120);
  return `not valid YAML: ${why}${hint}`;
}

/** Where the key begins, or the nearest existing one above it; undefined where none exists. */
function findOffset(
  yaml: Yaml,
  document: Document.Parsed,
  path: readonly PropertyKey[],
): number | undefined {
  const name = path.at(-1);
  if (name === undefined) return undefined;
  const above = path.slice(0, -1);
  const around = document.getIn(above, true);
  const isNamed = (key: unknown) => yaml.isScalar(key) && String(key.value) === String(name);
  const own = yaml.isMap(around)
    ? around.items.find(({ key }) => isNamed(key))?.key
    : yaml.isSeq(around) && around.get(name, true);
  return (own as Node | undefined)?.range?.[0] ?? findOffset(yaml, document, above);
}
