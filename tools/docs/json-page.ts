import type { Command } from 'commander';
import { DocumentationError } from './documentation-error.ts';
import { listJsonDocuments } from './json-documents.ts';
import { meanings, ownMeanings } from './json-meanings.ts';
import type { Shape } from './json-shape.ts';
import { fillPage, renderTable, toCell, toCode } from './markdown.ts';

/**
 * docs/json-output.md: the fields of every JSON document.
 * @throws DocumentationError for a meaning that is missing or not used
 */
export async function renderJsonPage(program: Command): Promise<string> {
  const used = new Set<string>();
  const missing: string[] = [];
  const explain = (title: string, path: string) => {
    const own = ownMeanings[title]?.[path];
    if (own !== undefined) {
      used.add(`${title} ${path}`);
      return own;
    }
    const name = path.split('.').at(-1)?.replaceAll('[]', '') ?? '';
    used.add(name);
    if (meanings[name] === undefined) missing.push(`${title}: ${path}`);
    return meanings[name] ?? '';
  };
  const documents = await listJsonDocuments(program);
  const sections = documents.map(({ title, about, shape }) => {
    if (shape === undefined) return `## ${title}\n\n${about}`;
    const rows = listFields(shape, '').map(([path, types]) => [
      toCode(path),
      nameTypes(types),
      toCell(explain(title, path)),
    ]);
    return `## ${title}\n\n${about}\n\n${renderTable(['field', 'type', 'what it is'], rows)}`;
  });
  const known = [
    ...Object.keys(meanings),
    ...Object.entries(ownMeanings).flatMap(([title, own]) =>
      Object.keys(own).map((path) => `${title} ${path}`),
    ),
  ];
  const left = known.filter((name) => !used.has(name));
  if (missing.length + left.length > 0) {
    const said = [
      ...missing.map((path) => `add what this field means: ${path}`),
      ...left.map((name) => `remove what no document has: ${name}`),
    ];
    throw new DocumentationError(`tools/docs/json-meanings.ts: ${said.join('; ')}`);
  }
  return fillPage('json-output.md', { documents: sections.join('\n\n') });
}

/** The types of a field. An empty list says nothing if another one has entries. */
function nameTypes(types: readonly string[]): string {
  const hasEntries = types.some((type) => type.startsWith('list of'));
  return types.filter((type) => !(hasEntries && type === 'list')).join(' or ');
}

/** Each field by its path with its types: `reasons[].code`. */
function listFields(
  { fields }: Shape,
  above: string,
): readonly (readonly [path: string, types: readonly string[]])[] {
  return [...fields].flatMap(([name, shape]) => {
    const path = `${above}${name}`;
    const isList = [...shape.types].some((type) => type.startsWith('list'));
    return [
      [path, [...shape.types]] as const,
      ...listFields(shape, `${path}${isList ? '[]' : ''}.`),
    ];
  });
}
