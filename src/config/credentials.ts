import { join } from 'node:path';
import { messageOf, systemCodeOf } from '../lib/errors.ts';
import { Secret } from '../lib/secret.ts';
import { readSmallFile } from '../system/small-file.ts';
import { readEnvironmentText } from './environment.ts';
import type { Problem } from './problems.ts';

/** What the agent may sign in with by itself; undefined where it was not given. */
export interface Credentials {
  readonly authCode: Secret | undefined;
  readonly networkJwt: Secret | undefined;
}

export interface FoundCredentials {
  readonly credentials: Credentials;
  /** What each was given by: an environment name, or systemd's credential. */
  readonly places: { readonly [Name in keyof Credentials]: string | undefined };
  readonly problems: readonly Problem[];
}

const limitBytes = 64 * 1024;

/** Environment, its `_FILE` twin, else systemd's credential. An empty one counts as not given. */
export async function readCredentials(environment: NodeJS.ProcessEnv): Promise<FoundCredentials> {
  const authCode = await readCredential(environment, 'TRIBUTARY_AUTH_CODE', 'auth-code');
  const networkJwt = await readCredential(environment, 'TRIBUTARY_NETWORK_JWT', 'network-jwt');
  return {
    credentials: { authCode: authCode.secret, networkJwt: networkJwt.secret },
    places: { authCode: authCode.place, networkJwt: networkJwt.place },
    problems: [authCode, networkJwt].flatMap(({ problem }) => problem ?? []),
  };
}

interface Found {
  readonly secret?: Secret;
  readonly place?: string;
  readonly problem?: Problem;
}

async function readCredential(environment: NodeJS.ProcessEnv, name: string, credential: string): Promise<Found> {
  const given = await readEnvironmentText(environment, name);
  if (given !== undefined && 'problem' in given) return given;
  if (given !== undefined && given.text.trim() !== '') return toFound(given.text, given.name);
  return readSystemdCredential(environment.CREDENTIALS_DIRECTORY, credential);
}

async function readSystemdCredential(directory: string | undefined, name: string): Promise<Found> {
  if (!directory) return {};
  const from = `credential ${name}`;
  try {
    const text = await readSmallFile(join(directory, name), limitBytes);
    return text.trim() === '' ? {} : toFound(text, from);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return {};
    return { problem: { path: [], place: from, text: `reading it: ${messageOf(error)}` } };
  }
}

function toFound(text: string, place: string): Found {
  return { secret: new Secret(text.trim()), place };
}
