import { findNearest } from '../lib/edit-distance.ts';
import { messageOf, systemCodeOf } from '../lib/errors.ts';
import { parseJson } from '../lib/parse-json.ts';
import { readSmallFile } from '../system/small-file.ts';
import { credentialNames } from './credential-names.ts';
import type { ConfigKey, KeyKind } from './keys.ts';
import { parseNumber, splitList } from './one-line.ts';
import type { Problem } from './problems.ts';

/** A key's value from the environment. */
export interface EnvironmentValue {
  readonly path: readonly string[];
  readonly name: string;
  readonly value: unknown;
}

const ours = 'TRIBUTARY_';
const twinLimitBytes = 64 * 1024;

/** Every key that the environment sets. Unknown names that begin like ours are problems. */
export async function readKeysFromEnvironment(
  environment: NodeJS.ProcessEnv,
  keys: readonly ConfigKey[],
) {
  const problems = [...findUnknownNames(environment, keys)];
  const values: EnvironmentValue[] = [];
  for (const key of keys) {
    const given = await readEnvironmentText(environment, key.environmentName);
    if (given === undefined) continue;
    if (given.problem) problems.push(given.problem);
    else values.push({ path: key.path, name: given.name, value: parseValue(given.text, key.kind) });
  }
  return { values, problems };
}

/**
 * The text of the variable, or of the file that its `_FILE` twin names, and which of the two it
 * was; undefined without either. Both at once are a problem.
 */
export async function readEnvironmentText(environment: NodeJS.ProcessEnv, name: string) {
  const twin = `${name}_FILE`;
  const text = environment[name];
  const path = environment[twin];
  if (path === undefined) return text === undefined ? undefined : { name, text };
  if (text !== undefined)
    return {
      problem: {
        path: [],
        place: twin,
        text: `set together with ${name}; allowed: only one of them`,
      },
    };
  try {
    return { name: twin, text: (await readSmallFile(path, twinLimitBytes)).replace(/\r?\n$/, '') };
  } catch (error) {
    const why = systemCodeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error);
    return { problem: { path: [], place: twin, text: `reading ${path}: ${why}` } };
  }
}

function findUnknownNames(
  environment: NodeJS.ProcessEnv,
  keys: readonly ConfigKey[],
): readonly Problem[] {
  const secrets = Object.values(credentialNames).map(({ environment }) => environment);
  const twins = [...keys.map((key) => key.environmentName), ...secrets].flatMap((name) => [
    name,
    `${name}_FILE`,
  ]);
  const known = new Set([...twins, 'TRIBUTARY_CONFIG', 'TRIBUTARY_STATE_DIR']);
  // The common beginning would make any two names look alike.
  const toOwnPart = (name: string) => name.slice(ours.length);
  const ownParts = [...known].map(toOwnPart);
  return Object.keys(environment)
    .filter(
      (name) => name.startsWith(ours) && !known.has(name) && !isFromKubernetes(name, environment),
    )
    .sort()
    .map((name) => {
      const nearest = findNearest(toOwnPart(name), ownParts);
      const hint =
        nearest === undefined
          ? '`tributary config show` lists the keys'
          : `did you mean ${ours}${nearest}?`;
      return { path: [], place: name, text: `unknown environment name; ${hint}` };
    });
}

const ofService =
  /^TRIBUTARY(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)$/;
/** An address, a port, a protocol, or all three of them. */
const saysWhere = /^([\d.]+|[\da-f:]*:[\da-f:]*|tcp|udp|sctp|(tcp|udp|sctp):\/\/[\d.a-f:[\]]+)$/i;

/**
 * True for a variable that Kubernetes sets in every pod about a service whose name begins with
 * ours: TRIBUTARY_SERVICE_HOST, TRIBUTARY_METRICS_PORT_80_TCP, … A key of ours that is misspelt
 * like one of these rarely has a value like theirs.
 */
function isFromKubernetes(name: string, environment: NodeJS.ProcessEnv): boolean {
  return (
    environment.KUBERNETES_SERVICE_HOST !== undefined &&
    ofService.test(name) &&
    saysWhere.test(environment[name] ?? '')
  );
}

/**
 * The text as a value of this kind; text that is no such value is returned for the schema to
 * refuse.
 */
function parseValue(text: string, kind: KeyKind): unknown {
  switch (kind) {
    case 'text':
      return text;
    case 'number':
      return parseNumber(text);
    case 'boolean':
    case 'objects':
      return parseJson(text) ?? text;
    case 'list':
      // Compose and shells break a long list into lines.
      return splitList(text.replaceAll('\n', ' ')) ?? parseJson(text) ?? text;
  }
}
