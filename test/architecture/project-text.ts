import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A file of the project, its path below the root. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** What may lie at the top; files that begin with a dot may too. */
export const topLevel: readonly string[] = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'Dockerfile',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'biome.json',
  'config',
  'docs',
  'knip.json',
  'package-lock.json',
  'package.json',
  'rolldown.config.ts',
  'src',
  'systemd',
  'test',
  'tools',
  'tsconfig.json',
  'vitest.config.ts',
];

/** Folders that git does not keep, as `.gitignore` names them. */
export function readIgnored(root: string): readonly string[] {
  return readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\/$/, ''));
}

/** Every file that belongs to the project. */
export function readProject(root: string): readonly ProjectFile[] {
  const left = new Set(['.git', ...readIgnored(root)]);
  const entries = readdirSync(root, { withFileTypes: true }).filter(({ name }) => !left.has(name));
  return entries
    .flatMap((entry) => [entry, ...(entry.isDirectory() ? listWithin(join(root, entry.name)) : [])])
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

function listWithin(directory: string): readonly Dirent[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true });
}

/**
 * Places in a text that name something outside of the project: a folder of a developer's machine,
 * or a folder beside the project.
 */
export function findOutsideNames(file: ProjectFile): readonly string[] {
  return findLines(file, outside);
}

/**
 * Work that was put off: notes to oneself, tests that are left out or alone, modules of ours that a
 * test replaces.
 */
export function findPutOff(file: ProjectFile): readonly string[] {
  return findLines(file, putOff);
}

function findLines({ path, text }: ProjectFile, patterns: readonly RegExp[]): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = patterns
      .map((pattern) => pattern.exec(line)?.[0])
      .find((match) => match !== undefined);
    return found === undefined ? [] : [`${path}:${index + 1}: ${found}`];
  });
}

/* Put together from pieces, so that this file does not name them either. */
const outside = [
  // A folder of the machine on which a developer works.
  new RegExp(
    `(?<![\\w.$}])/(${['work', 'home', 'Users', 'root', 'mnt', 'workspace'].join('|')})/[\\w.-]+`,
  ),
  // A folder beside the project, by however many steps.
  new RegExp(`\\.\\./${'shared'}\\b`),
];

const putOff = [
  new RegExp(
    `\\b(${['TO', 'FIX', 'XX'].map((start, index) => start + ['DO', 'ME', 'X'][index]).join('|')})\\b`,
  ),
  /\b(it|test|describe)\.(skip|only|todo|fails)\b/,
  /\bvi\.(mock|doMock)\b/,
];

/**
 * Packages of the lock file that are fetched from elsewhere than the public registry; none may say
 * a place at all. The project's own workspaces are links to their folders.
 */
export function findForeignPackages(lockText: string): readonly string[] {
  const { packages } = JSON.parse(lockText) as {
    readonly packages: Readonly<Record<string, { resolved?: string; link?: boolean }>>;
  };
  return Object.entries(packages)
    .filter(
      ([, { resolved, link = false }]) =>
        resolved !== undefined &&
        !resolved.startsWith(link ? 'src/' : 'https://registry.npmjs.org/'),
    )
    .map(([name, { resolved }]) => `${name}: ${resolved}`);
}
