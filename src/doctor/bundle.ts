import { open } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { toShownConfig } from '../config/show.ts';
import { tableName } from '../gateway/policy.ts';
import { messageOf, systemCodeOf, TributaryError } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import type { DoctorDoors } from './doors.ts';
import { findEndpoint } from './find-endpoint.ts';
import { findSecrets } from './find-secrets.ts';
import { redact } from './redact.ts';
import type { DoctorDocument } from './report.ts';
import { type Member, toTar } from './tar.ts';

/** What a bundle is made from. */
export interface BundleParts {
  readonly doors: DoctorDoors;
  readonly document: DoctorDocument;
  readonly environment: NodeJS.ProcessEnv;
  /** This program's. */
  readonly version: string;
}

const logLines = 500;

/** What somebody who helps has to see, and nothing else: each member goes through `redact`. */
export async function collectBundle({
  doors,
  document,
  environment,
  version,
}: BundleParts): Promise<readonly Member[]> {
  const [secrets, shownAddresses] = await Promise.all([findSecrets(doors, environment), findShownAddresses(doors)]);
  const sources: Readonly<Record<string, () => Promise<string>>> = {
    'doctor.json': async () => toJson(document),
    'status.json': async () => toJson(await doors.status()),
    'config.json': async () => toJson(toShownConfig(await doors.configuration())),
    'versions.txt': () => toVersions(doors, version),
    'nft.txt': run(doors.inside, 'nft', 'list', 'table', 'inet', tableName),
    'ip-address.json': run(doors.inside, 'ip', '-j', 'address', 'show'),
    'ip-route.json': run(doors.inside, 'ip', '-j', 'route', 'show', 'table', 'all'),
    'ip-rule.json': run(doors.inside, 'ip', '-j', 'rule', 'show'),
    'wg.txt': run(doors.inside, 'wg', 'show'),
    'log.txt': run(
      async () => doors.exec,
      'journalctl',
      '-u',
      'tributary',
      '-n',
      String(logLines),
      '--no-pager',
      '-o',
      'short-iso',
    ),
  };
  return Promise.all(
    Object.entries(sources).map(async ([name, source]) => {
      const text = await source().catch((error: unknown) => `not there: ${messageOf(error)}\n`);
      return { name, text: redact(text, { secrets, shownAddresses }) };
    }),
  );
}

/** Writes the archive, mode 0600, where nothing is yet. @throws usage-invalid, state-unwritable */
export async function writeBundle(path: string, members: readonly Member[], at: Date): Promise<void> {
  const archive = gzipSync(toTar(members, at));
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(archive).finally(() => file.close());
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST')
      throw new TributaryError('usage-invalid', `${path} is there already; name another file`);
    throw new TributaryError('state-unwritable', `writing ${path}: ${messageOf(error)}`, { cause: error });
  }
}

function run(findExec: () => Promise<Exec>, program: string, ...args: readonly string[]): () => Promise<string> {
  return async () => (await findExec())({ program, args, doing: `asking ${program}`, timeoutMs: 5000 });
}

/** Who these belong to is in the configuration, and it is what is looked for when something fails. */
async function findShownAddresses(doors: DoctorDoors): Promise<readonly string[]> {
  const service = async () => doors.resolve(new URL((await doors.configuration()).config.service.base_url).hostname);
  const endpoint = async () => (await findEndpoint(doors))?.address;
  const found = await Promise.all([service, endpoint].map((find) => find().catch(() => undefined)));
  return found.flatMap((address) => address ?? []);
}

async function toVersions({ exec, disk, nodeVersion }: DoctorDoors, version: string): Promise<string> {
  const tools = [
    ['nft', '--version'],
    ['wg', '--version'],
    ['ip', '-V'],
  ] as const;
  const said = await Promise.all(
    tools.map(([program, flag]) =>
      exec({ program, args: [flag], doing: `asking ${program}` }).catch((error: unknown) => messageOf(error)),
    ),
  );
  const system = /^PRETTY_NAME="(.*)"$/m.exec((await disk.read('/etc/os-release')) ?? '')?.[1] ?? 'an unknown system';
  const kernel = (await disk.read('/proc/sys/kernel/osrelease')) ?? '';
  const lines = [`tributary ${version}`, `Node ${nodeVersion} ${process.arch}`, system, `Linux ${kernel}`, ...said];
  return `${lines.map((line) => line.trim()).join('\n')}\n`;
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
