import { isIP } from 'node:net';
import { join } from 'node:path';
import { readCredentials } from '../config/credentials.ts';
import { specialPrefixes } from '../gateway/policy.ts';
import { isInAny } from '../lib/addresses.ts';
import { parseJson } from '../lib/parse-json.ts';
import { Secret } from '../lib/secret.ts';
import { listFolder, readOwnFile } from '../system/files.ts';
import type { DoctorHost } from './host.ts';

export interface Redaction {
  readonly secrets: readonly Secret[];
  /** Public addresses that may be shown: the service's and the one of the tunnel's other end. */
  readonly shownAddresses: readonly string[];
  readonly hostName: string;
}

/** Shorter texts would be found everywhere. */
const shortest = 4;

/**
 * Makes a text fit for other people: without secrets in any spelling, anything like a key, public
 * addresses (which may be a consumer's), and names.
 */
export function redact(text: string, { secrets, shownAddresses, hostName }: Redaction): string {
  return secrets
    .flatMap((secret) => listSpellings(secret.reveal()))
    .sort((one, other) => other.length - one.length)
    .reduce((result, secret) => result.replaceAll(secret, '[secret]'), text)
    .replace(/eyJ[\w-]{5,}(\.[\w-]*){0,2}/g, '[secret]')
    .replace(/\bbearer\s+\S+/gi, '[secret]')
    .replace(
      /(?<![a-z])((?:password|token|secret|jwt)["']?\s*[:=]\s*["']?)[^\s"',;[\]{}]{8,}/gi,
      '$1[secret]',
    )
    .replace(/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=/g, '[key]')
    .replace(/(?<![\da-z])[\da-f]{24,}(?![\da-z])/gi, '[hex]')
    .replace(/\b([\da-f]{2}[:-]){5}[\da-f]{2}\b/gi, '[hardware]')
    .replace(/\benx[\da-f]{12}\b/g, 'enx[hardware]')
    .replace(/(\/home\/)[^/\s"',;:]+/g, '$1[user]')
    .replace(address4, (address) => (isPublic(address, shownAddresses) ? '[address]' : address))
    .replace(address6, (address) => (isPublic(address, shownAddresses) ? '[address]' : address))
    .replace(hardwareInAddress6, '[hardware]')
    .replace(toWord(hostName), '[host]');
}

/** The end of an address that was made from the hardware's address (EUI-64). */
const hardwareInAddress6 =
  /(?<=:)(?:[\da-f]{1,4}:)?[\da-f]{0,2}ff:fe[\da-f]{2}:[\da-f]{1,4}(?![\w:])/gi;

/** Names that are not replaced: ones that many machines have, and one that is found everywhere. */
const commonNames = ['', 'localhost', 'tributary'];

/** Matches a name, alone or with its domain, where it is no part of another word. */
function toWord(name: string): RegExp {
  const [first = ''] = name.toLowerCase().split('.');
  if (commonNames.includes(first)) return /(?!)/;
  return new RegExp(
    `(?<![\\w-])${first.replace(/[^\w-]/g, '.')}(\\.[a-z][\\w-]*)*(?![\\w-])`,
    'gi',
  );
}

const address4 = /(?<![\d.])\d{1,3}(\.\d{1,3}){3}(?![\d.]*\d)/g;
const address6 = /(?<![\w:.])[\da-f]{0,4}(:[\da-f]{0,4}){2,7}(?![\w:])/gi;

function isPublic(address: string, shown: readonly string[]): boolean {
  const family = isIP(address);
  if (family === 0 || shown.includes(address)) return false;
  return !isInAny(address, family === 4 ? specialPrefixes.v4 : specialPrefixes.v6);
}

function listSpellings(secret: string): readonly string[] {
  if (secret.length < shortest) return [];
  const base64 = Buffer.from(secret).toString('base64');
  return [
    ...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64]),
  ];
}

/**
 * A field whose name says that its value is secret. It is found in whole files and in broken ones.
 */
const field = /"[^"\\]*(?:token|jwt|key|secret|password|code)[^"\\]*"\s*:\s*"((?:[^"\\]|\\.)+)"/gi;

/**
 * Every secret that this device knows: those in its state, in files that were set aside as broken,
 * and those that were handed in.
 */
export async function findSecrets(
  { stateDirectory, configuration }: DoctorHost,
  environment: NodeJS.ProcessEnv,
) {
  const { credentials } = await readCredentials(environment);
  const names = await listFolder(stateDirectory).catch(() => []);
  const read = (name: string) => readOwnFile(join(stateDirectory, name)).catch(() => undefined);
  const texts = await Promise.all(names.map(read));
  const stored = texts.flatMap((text) =>
    [...(text ?? '').matchAll(field)].map(([, value = '']) =>
      String(parseJson(`"${value}"`) ?? value),
    ),
  );
  const webhook = (await configuration().catch(() => undefined))?.config.report.webhook;
  // The path of a webhook's address is often a secret.
  const { pathname = '/', search = '' } = URL.parse(webhook?.url.reveal() ?? '') ?? {};
  return [...stored, pathname === '/' ? '' : `${pathname}${search}`]
    .map((text) => new Secret(text))
    .concat(Object.values(credentials).filter((own) => own !== undefined));
}
