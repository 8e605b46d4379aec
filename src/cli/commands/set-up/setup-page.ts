import { randomBytes } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { defaultConfigPath } from '../../../config/config-file.ts';
import type { LoadedConfig } from '../../../config/load.ts';
import type { KeyChange } from '../../../config/set-key.ts';
import { specialPrefixes } from '../../../gateway/policy.ts';
import { isInAny } from '../../../lib/addresses.ts';
import { isLoopback } from '../../../service/url.ts';
import { readOwnFile, writeFileAtomic } from '../../../system/files.ts';
import type { Prompt } from '../../frame/prompt.ts';
import { renderQrCode } from '../../present/qr-code.ts';

/** Where the package's agent finds the token that turns the page's buttons on. */
const tokenPath = '/etc/tributary/status-token';

const aboutPage = `The status page is for this machine alone until you open it. Opened, everyone in your home network can read it. Its buttons pause, resume and change settings; they need a token, which setup makes and shows as a QR code for your phone.
The page is not encrypted: anyone who can listen in your network can read the token. Nothing of it is reachable from the Internet unless your router, or your cloud, forwards the port.`;
/** Why it is not asked where the page would be open to more than a home. */
const whyNotOpen = (address: string) =>
  `The status page stays for this machine alone: ${address} is one of its addresses, so that everyone on the Internet could reach an open page.`;
const whetherOpen = 'Open the page at home, with buttons?';

interface PageQuestion {
  readonly prompt: Prompt | undefined;
  readonly say: (text: string) => Promise<void> | void;
  readonly loaded: Pick<LoadedConfig, 'config' | 'originOf'>;
  readonly interfaces?: Interfaces;
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * The change that opens the page at home, where the owner wants that; nothing where nobody is
 * asked, where the page is open or switched off, where the environment decides, and where the
 * machine has a public address: then it is said why.
 */
export async function askPage({
  prompt,
  say,
  loaded,
  interfaces = networkInterfaces(),
}: PageQuestion): Promise<readonly KeyChange[]> {
  const { host, port } = loaded.config.status.listen;
  const isDecided = loaded.originOf(['status', 'listen']).kind === 'environment';
  if (prompt === undefined || isDecided || port === 0 || !isLoopback(host)) return [];
  const outside = listAddresses(interfaces).find(isPublic);
  if (outside !== undefined) {
    await say(whyNotOpen(outside));
    return [];
  }
  await say(aboutPage);
  if (!(await prompt.confirm(whetherOpen))) return [];
  return [{ key: 'status.listen', text: `0.0.0.0:${port}` }];
}

/** True where the changes open the page, for which the packaged agent needs a token. */
export function opensPage(path: string, changes: readonly KeyChange[]): boolean {
  return path === defaultConfigPath && changes.some(({ key }) => key === 'status.listen');
}

/**
 * The page's token: the one that is there, otherwise a new one, which only root can read.
 * @throws state-unreadable, state-unwritable
 */
export async function keepPageToken(path = tokenPath): Promise<string> {
  const before = (await readOwnFile(path))?.trim();
  if (before) return before;
  const token = randomBytes(16).toString('hex');
  await writeFileAtomic(path, `${token}\n`);
  return token;
}

/**
 * The page's address for the owner's phone, with the token in the part that no browser sends, and
 * both as a QR code.
 */
export async function renderOpenPage(
  { port, token }: { readonly port: number; readonly token: string },
  surroundings: {
    readonly environment: NodeJS.ProcessEnv;
    readonly columns: number | undefined;
    readonly interfaces?: Interfaces;
  },
): Promise<string> {
  const { environment, columns, interfaces = networkInterfaces() } = surroundings;
  const address = chooseHomeAddress(environment, interfaces);
  if (address === undefined) return `Token     ${token}\n`;
  const page = `http://${address}:${port}/`;
  const qr = await renderQrCode({
    text: `${page}#token=${encodeURIComponent(token)}`,
    columns,
    isWanted: undefined,
  });
  return `At home   ${page}\nToken     ${token}\n${qr}`;
}

/** Networks that programs make on a machine. */
const madeByPrograms = /^(docker|br-|veth|virbr|tributary|tun|tap|wg|lxc|podman|cni)/;

/**
 * The address by which the owner came here over ssh, if that is not a public one, otherwise a
 * private one of this machine's own network; undefined without any.
 */
export function chooseHomeAddress(
  { SSH_CONNECTION: connection = '' }: NodeJS.ProcessEnv,
  interfaces: Interfaces,
): string | undefined {
  const reached = connection.split(' ')[2] ?? '';
  if (isIPv4(reached) && !isLoopback(reached) && !isPublic(reached)) return reached;
  const own = Object.entries(interfaces).filter(([name]) => !madeByPrograms.test(name));
  const addresses = listAddresses(Object.fromEntries(own));
  return addresses.find((one) => /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(one));
}

/** IPv4 alone, because the page is opened for no other. */
function listAddresses(interfaces: Interfaces): readonly string[] {
  return Object.values(interfaces)
    .flatMap((own = []) => own)
    .filter(({ family, internal }: NetworkInterfaceInfo) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}

function isPublic(address: string): boolean {
  return !isInAny(address, specialPrefixes.v4);
}
