import { type FileHandle, open } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { createTar } from 'nanotar';
import { toShownConfig } from '../config/show.ts';
import { messageOf, systemCodeOf, TributaryError } from '../errors/codes.ts';
import { tableName } from '../gateway/policy.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import type { Exec } from '../system/exec.ts';
import { findEndpoint } from './check.ts';
import type { DoctorHost } from './host.ts';
import { findSecrets, redact } from './redact.ts';

type Member = Readonly<Record<'name' | 'text', string>>;

export interface BundleParts {
  readonly host: DoctorHost;
  readonly document: unknown;
  readonly environment: NodeJS.ProcessEnv;
  readonly version: string;
}

const logLines = 500;

/** The files of a support bundle; each of them goes through `redact`. */
export async function collectBundle({
  host,
  document,
  environment,
  version,
}: BundleParts): Promise<readonly Member[]> {
  const [secrets, shownAddresses] = await Promise.all([
    findSecrets(host, environment),
    findShownAddresses(host),
  ]);
  const sources: Readonly<Record<string, () => Promise<string>>> = {
    'doctor.json': async () => toJson(document),
    'status.json': async () => toJson(await host.status()),
    'config.json': async () => toJson(toShownConfig(await host.configuration())),
    'versions.txt': () => listVersions(host, version),
    'nft.txt': run(host.inside, `nft list table inet ${tableName}`),
    'ip-address.json': run(host.inside, 'ip -j address show'),
    'ip-route.json': run(host.inside, 'ip -j route show table all'),
    'ip-rule.json': run(host.inside, 'ip -j rule show'),
    'wg.txt': run(host.inside, 'wg show'),
    'log.txt': run(
      async () => host.exec,
      `journalctl -u tributary -n ${logLines} --no-pager -o short-iso`,
    ),
  };
  return Promise.all(
    Object.entries(sources).map(async ([name, source]) => {
      const text = await source().catch((error: unknown) => `not there: ${messageOf(error)}\n`);
      return { name, text: redact(text, { secrets, shownAddresses, hostName: host.hostName }) };
    }),
  );
}

/**
 * Writes the archive with mode 0600 to a path where no file is, for its owner: who asked for help
 * reads it through before anyone else does.
 * @throws usage-invalid, state-unwritable
 */
export async function writeBundle(
  path: string,
  members: readonly Member[],
  { at, owner }: { readonly at: Date; readonly owner?: Owner | undefined },
): Promise<void> {
  const attrs = { mode: '600', uid: 0, gid: 0, mtime: Math.max(0, at.getTime()) };
  const files = members.map(({ name, text }) => ({ name, data: text }));
  // The end mark of an archive, which nanotar leaves out where a block is full.
  const archive = gzipSync(Buffer.concat([createTar(files, { attrs }), Buffer.alloc(1024)]));
  try {
    const file = await open(path, 'wx', 0o600);
    await writeAsOwner(file, archive, owner).finally(() => file.close());
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST')
      throw new TributaryError('usage-invalid', `${path} already exists; name another file`);
    throw new TributaryError('state-unwritable', `writing ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Who a file belongs to. */
export type Owner = Readonly<Record<'userId' | 'groupId', number>>;

/**
 * The account that typed `sudo`, by the names that sudo gives its numbers; undefined for any other
 * command.
 */
export function findAsker({ SUDO_UID, SUDO_GID }: NodeJS.ProcessEnv): Owner | undefined {
  const isNumber = (text: string | undefined) => /^\d{1,9}$/.test(text ?? '');
  if (process.geteuid?.() !== 0 || !isNumber(SUDO_UID) || !isNumber(SUDO_GID)) return undefined;
  return { userId: Number(SUDO_UID), groupId: Number(SUDO_GID) };
}

async function writeAsOwner(file: FileHandle, archive: Buffer, owner: Owner | undefined) {
  await file.writeFile(archive);
  if (owner !== undefined) await file.chown(owner.userId, owner.groupId);
}

function run(findExec: () => Promise<Exec>, commandLine: string): () => Promise<string> {
  const [program = '', ...args] = commandLine.split(' ');
  return async () =>
    (await findExec())({ program, args, doing: `asking ${program}`, timeoutMs: 5000 });
}

/**
 * The addresses of service and endpoint may be shown: their names are in the configuration anyway,
 * and support needs them.
 */
async function findShownAddresses(host: DoctorHost): Promise<readonly string[]> {
  const service = async () =>
    host.resolve(new URL((await host.configuration()).config.service.base_url).hostname);
  const endpoint = async () => (await findEndpoint(host))?.address;
  const found = await Promise.all([service, endpoint].map((find) => find().catch(() => undefined)));
  return found.flatMap((address) => address ?? []);
}

async function listVersions(
  { exec, disk, nodeVersion }: DoctorHost,
  version: string,
): Promise<string> {
  const said = await Promise.all(
    ['nft --version', 'wg --version', 'ip -V'].map((line) =>
      run(async () => exec, line)().catch(messageOf),
    ),
  );
  const system =
    /^PRETTY_NAME="(.*)"$/m.exec((await disk.read('/etc/os-release')) ?? '')?.[1] ??
    'an unknown system';
  const kernel = (await disk.read('/proc/sys/kernel/osrelease')) ?? '';
  const lines = [
    `tributary ${version}`,
    `Node ${nodeVersion} ${process.arch}`,
    system,
    `Linux ${kernel}`,
    ...said,
  ];
  return `${lines.map((line) => line.trim()).join('\n')}\n`;
}

function toJson(value: unknown): string {
  return `${toPlainJson(value, 2)}\n`;
}
