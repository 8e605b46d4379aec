import { join } from 'node:path';
import { messageOf, systemCodeOf } from '../lib/errors.ts';
import { Secret } from '../lib/secret.ts';
import { readSmallFile } from '../system/small-file.ts';
import { type CredentialName, credentialNames } from './credential-names.ts';
import { readEnvironmentText } from './environment.ts';
import type { Problem } from './problems.ts';

const limitBytes = 64 * 1024;

/**
 * The secrets that were handed in. A secret that is missing or empty is undefined, and so is its
 * place.
 */
interface FoundCredentials {
  readonly credentials: Readonly<Record<CredentialName, Secret | undefined>>;
  /** The name of the variable, or of systemd's credential. */
  readonly places: Readonly<Record<CredentialName, string | undefined>>;
  readonly problems: readonly Problem[];
}

/**
 * Looks for each secret in the environment, in the file that its `_FILE` twin names, and among
 * systemd's credentials. Nothing is thrown: a secret that cannot be read is a problem.
 */
export async function readCredentials(environment: NodeJS.ProcessEnv): Promise<FoundCredentials> {
  const reading = Object.entries(credentialNames).map(
    async ([name, source]) => [name, await readCredential(environment, source)] as const,
  );
  const found = await Promise.all(reading);
  const ofEach = <Key extends keyof Found>(key: Key) =>
    Object.fromEntries(found.map(([name, own]) => [name, own[key]])) as Readonly<
      Record<CredentialName, Found[Key]>
    >;
  return {
    credentials: ofEach('secret'),
    places: ofEach('place'),
    problems: found.flatMap(([, { problem }]) => problem ?? []),
  };
}

type CredentialSource = (typeof credentialNames)[CredentialName];

interface Found {
  readonly secret?: Secret;
  readonly place?: string;
  readonly problem?: Problem;
}

async function readCredential(
  environment: NodeJS.ProcessEnv,
  source: CredentialSource,
): Promise<Found> {
  const given = await readEnvironmentText(environment, source.environment);
  if (given?.problem) return given;
  if (given?.text.trim()) return checkSecret(given.text.trim(), given.name, source);
  return readSystemdCredential(environment.CREDENTIALS_DIRECTORY, source);
}

async function readSystemdCredential(
  directory: string | undefined,
  source: CredentialSource,
): Promise<Found> {
  if (!directory) return {};
  const from = `credential ${source.systemd}`;
  try {
    const text = (await readSmallFile(join(directory, source.systemd), limitBytes)).trim();
    return text === '' ? {} : checkSecret(text, from, source);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return {};
    return { problem: { path: [], place: from, text: `reading it: ${messageOf(error)}` } };
  }
}

function checkSecret(text: string, place: string, source: CredentialSource): Found {
  if ('form' in source && !source.form.pattern.test(text)) {
    return { problem: { path: [], place, text: `not shown; allowed: ${source.form.says}` } };
  }
  return { secret: new Secret(text), place };
}
