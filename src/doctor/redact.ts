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
  /** Public addresses that may be shown: the service's and the tunnel's other end. */
  readonly shownAddresses: readonly string[];
  readonly hostName: string;
}

/** Shorter texts would be found everywhere. */
const shortest = 4;

/**
 * For others: no secrets in any spelling, nothing like a key, no public addresses (a consumer's
 * perhaps), no names.
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

/** An address that was made from the hardware's (EUI-64) ends like this. */
const hardwareInAddress6 =
  /(?<=:)(?:[\da-f]{1,4}:)?[\da-f]{0,2}ff:fe[\da-f]{2}:[\da-f]{1,4}(?![\w:])/gi;

/** Names that many machines have, and one that would be found everywhere. */
const commonNames = ['', 'localhost', 'tributary'];

/** A name alone or with its domain, where it is no part of another word. */
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

/** A field whose name says that its value is a secret, in whole files and broken ones. */
const field = /"[^"\\]*(?:token|jwt|key|secret|password|code)[^"\\]*"\s*:\s*"((?:[^"\\]|\\.)+)"/gi;

/**
 * Every secret that this device knows: of its state, also in files set aside as broken, and those
 * handed in.
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
  // An address to be called is often a secret itself.
  const { pathname = '/', search = '' } = URL.parse(webhook?.url.reveal() ?? '') ?? {};
  return [...stored, pathname === '/' ? '' : `${pathname}${search}`]
    .map((text) => new Secret(text))
    .concat(Object.values(credentials).filter((own) => own !== undefined));
}
