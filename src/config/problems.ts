import type * as z from 'zod';
import { TributaryError } from '../errors/codes.ts';
import { findNearest } from '../lib/edit-distance.ts';
import { hidePath } from '../lib/secret.ts';
import { listConfigKeys, listNamesBelow } from './keys.ts';
import { type ConfigTree, valueAt } from './tree.ts';

/** One problem with the configuration. */
export interface Problem {
  /** The key that it is about; empty if it is about none. */
  readonly path: readonly PropertyKey[];
  /** The file with its line, or the variable's name; undefined to find it by the path. */
  readonly place?: string | undefined;
  readonly text: string;
  readonly action?: string; // What to do, where it is more than correcting the value.
}

/** How the advice begins where all that is wrong is that nothing was set up yet. */
export const setUpAdvice = 'Set this device up: ';

export const notSetUp = 'this device is not set up yet';

/** One error with a line for each problem. `placeOf` finds where a key was set. */
export function createConfigError(
  problems: readonly Problem[],
  placeOf: (path: readonly PropertyKey[]) => string | undefined,
): TributaryError {
  const findPlace = ({ place, path }: Problem) => place ?? placeOf(path);
  const lineOf = (problem: Problem) => Number(/:(\d+)$/.exec(findPlace(problem) ?? '')?.[1] ?? 0);
  const sorted = problems.toSorted((one, other) => lineOf(one) - lineOf(other));
  const lines = sorted.map((problem) => {
    const place = findPlace(problem);
    const key = renderPath(problem.path);
    // A variable's name already tells which key it is.
    const isNamed = key === '' || place?.startsWith('TRIBUTARY_');
    return [place, isNamed ? undefined : key, problem.text]
      .filter((part) => part !== undefined)
      .join(': ');
  });
  const count = lines.length === 1 ? 'a problem' : `${lines.length} problems`;
  const message = `the configuration has ${count}:\n${lines.join('\n')}`;
  const action =
    problems.find((problem) => problem.action)?.action ?? nameVariables(sorted.map(findPlace));
  return new TributaryError('configuration-invalid', message, { action });
}

/** What to correct where no file is at fault; undefined where one is. */
function nameVariables(places: readonly (string | undefined)[]): string | undefined {
  const names = [...new Set(places)];
  if (!names.every((name) => name?.startsWith('TRIBUTARY_'))) return undefined;
  return `Correct ${names.join(', ')} where this program's environment comes from.`;
}

/** The problems that zod found, in the owner's words. */
export function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  tree: ConfigTree,
): readonly Problem[] {
  return issues.flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((name) => ({
        path: [...issue.path, name],
        text: renderUnknownKey(issue.path, name),
      }));
    }
    const found = hideSecret(issue.path, valueAt(tree, issue.path));
    const names = issue.code === 'invalid_type' ? listNamesBelow(issue.path) : undefined;
    const allowed = names === undefined ? issue.message : `keys below it: ${names.join(', ')}`;
    return [{ path: issue.path, text: renderFound(found, allowed) }];
  });
}

/** The value in the form in which it may be shown: the address of a webhook often is a secret. */
export function hideSecret(path: readonly PropertyKey[], value: unknown): unknown {
  return typeof value === 'string' && renderPath(path) === 'report.webhook.url'
    ? hidePath(value)
    : value;
}

/** `found "5 GX"; allowed: …` */
export function renderFound(found: unknown, allowed: string): string {
  return `${found === undefined ? 'missing' : `found ${describeFound(found, allowed)}`}; allowed: ${allowed}`;
}

/** `provide.schedule[2].mode` */
export function renderPath(path: readonly PropertyKey[]): string {
  const shown = path.map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${cut(String(part).replace(/\p{Cc}/gu, '?'))}`,
  );
  return shown.join('').replace(/^\./, '');
}

const secretNames = /code|jwt|token|password|secret/i;

function renderUnknownKey(above: readonly PropertyKey[], name: string): string {
  const siblings = listNamesBelow(above) ?? [];
  const nearest = findNearest(name, siblings);
  if (nearest !== undefined) return `unknown key; did you mean ${renderPath([...above, nearest])}?`;
  const elsewhere = listConfigKeys().find((key) => key.path.includes(name));
  if (elsewhere !== undefined) {
    return `unknown key here; did you mean ${elsewhere.path.slice(0, elsewhere.path.indexOf(name) + 1).join('.')}?`;
  }
  if (secretNames.test(name)) {
    return 'unknown key; secrets do not belong here: give TRIBUTARY_AUTH_CODE_FILE or TRIBUTARY_NETWORK_JWT_FILE';
  }
  return `unknown key; allowed: ${siblings.join(', ')}`;
}

function describeFound(found: unknown, allowed: string): string {
  if (found === null) return 'nothing';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object') return 'a map';
  if (typeof found === 'number' && allowed.includes('with its unit'))
    return `${found} without a unit`;
  if (typeof found !== 'string') return String(found);
  // An address may contain a password by mistake, so that is left out.
  return JSON.stringify(cut(found.replace(/\/\/[^/?#]*@/g, '//[secret]@')));
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
