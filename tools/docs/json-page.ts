import type { Command } from 'commander';
import { provideModes } from '../../src/service/profiles.ts';
import { DocumentationError } from './documentation-error.ts';
import { listJsonDocuments } from './json-documents.ts';
import { createGroups, type Explain, type Field, flatten, listFields } from './json-fields.ts';
import { meanings, ownMeanings } from './json-meanings.ts';
import { fillPage, toAnchor, toCode, toLine, wrapEntry } from './markdown.ts';

interface Section {
  /** More than one where several commands print the same. */
  readonly titles: readonly string[];
  readonly about: string;
  readonly fields: readonly Field[];
}

/**
 * docs/json-output.md: the fields of every JSON document. What several documents have in common is
 * told once.
 * @throws DocumentationError for a meaning that is missing or not used
 */
export async function renderJsonPage(program: Command): Promise<string> {
  const { explainIn, throwIfWrong } = createMeanings();
  const documents = (await listJsonDocuments(program)).map(({ title, about, shape }) => {
    const fields = shape === undefined ? [] : listFields(shape, explainIn(title));
    return { titles: [title], about, fields };
  });
  throwIfWrong();
  // What only a developer asks for tells itself by its names.
  const isForOwners = ({ titles }: Section) => !titles[0]?.startsWith('sandbox ');
  const sections = joinEqual(documents.filter(isForOwners));
  const common = listCommon(sections);
  const groups = createGroups();
  return fillPage('json-output.md', {
    modes: provideModes.map(toCode).join(', '),
    'common fields': [...common.values()]
      .map(({ name, type, meaning }) => renderEntry(name, type, meaning))
      .join('\n'),
    documents: sections
      .map((section, index) =>
        renderSection(section, { common: index === 0 ? new Map() : common, groups }),
      )
      .join('\n\n'),
  });
}

/** Says what a field means, and notices what nobody wrote, and what nobody has. */
function createMeanings() {
  const used = new Set<string>();
  const missing: string[] = [];
  const explainIn =
    (title: string): Explain =>
    (path) => {
      const own = ownMeanings[title]?.[path];
      if (own !== undefined) {
        used.add(`${title} ${path}`);
        return { meaning: own, isCommon: false };
      }
      const name = path.split('.').at(-1)?.replaceAll('[]', '') ?? '';
      used.add(name);
      if (meanings[name] === undefined) missing.push(`${title}: ${path}`);
      return { meaning: meanings[name] ?? '', isCommon: true };
    };
  const throwIfWrong = () => {
    const known = [
      ...Object.keys(meanings),
      ...Object.entries(ownMeanings).flatMap(([title, own]) =>
        Object.keys(own).map((path) => `${title} ${path}`),
      ),
    ];
    const left = known.filter((name) => !used.has(name));
    if (missing.length + left.length === 0) return;
    const said = [
      ...missing.map((path) => `add what this field means: ${path}`),
      ...left.map((name) => `remove what no document has: ${name}`),
    ];
    throw new DocumentationError(`tools/docs/json-meanings.ts: ${said.join('; ')}`);
  };
  return { explainIn, throwIfWrong };
}

/** Neighbours that print the same become one section. */
function joinEqual(sections: readonly Section[]): readonly Section[] {
  const joined: Section[] = [];
  for (const section of sections) {
    const last = joined.at(-1);
    if (last !== undefined && isEqual(last, section))
      joined.splice(-1, 1, { ...last, titles: [...last.titles, ...section.titles] });
    else joined.push(section);
  }
  return joined;
}

function isEqual(one: Section, other: Section): boolean {
  const content = ({ about, fields }: Section) => JSON.stringify([about, fields]);
  return content(one) === content(other);
}

/**
 * Names that mean the same in several documents, with the type that they have there. The
 * first document, `status`, names all types itself.
 */
function listCommon([, ...sections]: readonly Section[]): ReadonlyMap<string, Field> {
  const fields = sections.flatMap((section) => flatten(section.fields)).filter(isPlain);
  const counts = Map.groupBy(fields, ({ name }) => name);
  return new Map(
    [...counts]
      .filter(([, found]) => found.length > 2)
      .flatMap(([name, found]) => {
        const field = found.find(({ type }) => type !== '') ?? found[0];
        return field === undefined ? [] : [[name, field] as const];
      }),
  );
}

function isPlain({ isCommon, fields }: Field): boolean {
  return isCommon && fields.length === 0;
}

/** What the rendering of one document knows. */
interface Place {
  readonly title: string;
  readonly common: ReadonlyMap<string, Field>;
  readonly groups: ReturnType<typeof createGroups>;
}

function renderSection(
  { titles, about, fields }: Section,
  above: Pick<Place, 'common' | 'groups'>,
): string {
  const title = titles.join(', ');
  above.groups.add({ title, path: '', fields });
  const entries = renderEntries(fields, { ...above, title });
  return [`## ${title}`, about, entries.join('\n')].filter(Boolean).join('\n\n');
}

/** An entry for each field; those that mean the same everywhere share one, without a meaning. */
function renderEntries(fields: readonly Field[], place: Place): readonly string[] {
  const isKnown = (field: Field) => {
    const common = place.common.get(field.name);
    return isPlain(field) && common !== undefined && isTypedAlike(field, common);
  };
  const known = fields.filter(isKnown).map(({ path }) => toCode(path));
  const shared =
    known.length === 0 ? [] : [wrapEntry(`- [Common](#common-fields): ${known.join(', ')}`)];
  const own = fields.filter((field) => !isKnown(field));
  return [...shared, ...own.flatMap((field) => renderField(field, place))];
}

/** A field that was null in all samples may be of any type. */
function isTypedAlike({ type }: Field, other: Field): boolean {
  return type === '' || other.type === '' || type === other.type;
}

function renderField({ path, type, meaning, fields }: Field, place: Place): readonly string[] {
  const entry = (more: string) => renderEntry(path, nameType(type), `${meaning}${more}`);
  const alike = place.groups.find(fields);
  if (alike === undefined) {
    place.groups.add({ title: place.title, path, fields });
    return [entry(''), ...renderEntries(fields, place)];
  }
  const names = fields.map(({ name }) => toCode(name)).join(', ');
  const what = alike.fields.length === fields.length ? 'Fields' : names;
  return [entry(` ${what}: see ${nameGroup(alike, place)}.`)];
}

/** `- \`phase\` (text): What the agent does.`; a type that no sample shows is left out. */
function renderEntry(path: string, type: string, meaning: string): string {
  return wrapEntry(`- ${toCode(path)}${type === '' ? '' : ` (${type})`}: ${toLine(meaning)}`);
}

/** `totals`, or a link where it is in another document. */
function nameGroup(group: Pick<Place, 'title'> & { readonly path: string }, here: Place): string {
  if (group.title === here.title) return group.path === '' ? 'above' : toCode(group.path);
  const link = `[${group.title}](#${toAnchor(group.title)})`;
  return group.path === '' ? link : `${toCode(group.path)} of ${link}`;
}

/** A mode is one of many words, which the page names once. */
function nameType(type: string): string {
  return type.replace(provideModes.map(toCode).join(', '), 'mode');
}
