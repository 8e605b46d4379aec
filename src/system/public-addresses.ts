import { isIPv4 } from 'node:net';
import { isInAny } from '../lib/addresses.ts';
import type { HostPort } from '../lib/host-port.ts';
import { readFileIfThere, removeFile, writeFileAtomic } from './files.ts';
import { askRouterForAddress } from './nat-pmp.ts';

/** Who may be asked for the home's public address; an undefined or false one is not asked. */
export interface Askable {
  readonly router: string | undefined;
  readonly natPmp: boolean;
  readonly upnp: boolean;
  /** A STUN server. */
  readonly stun: HostPort | undefined;
}

/** What was answered. All of it is outside input. */
export interface Said {
  /** At most one address from each that was asked, sorted; IPv4. */
  readonly answers: readonly string[];
  /** The answers that are addresses on the Internet. */
  readonly addresses: readonly string[];
}

/**
 * Addresses that are not on the Internet. A router behind another router answers with one, and so
 * does a router without a connection.
 */
const inside = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
];

/**
 * Asks all of them at once. At most one address is taken from each, so that no answer can deny
 * much.
 */
export async function askForPublicAddresses(
  { router, natPmp, upnp, stun }: Askable,
  signal: AbortSignal,
): Promise<Said> {
  const said = await Promise.all([
    natPmp && router !== undefined ? askRouterForAddress(router, signal) : undefined,
    // Loaded only when needed: most homes need neither.
    upnp && router !== undefined
      ? (await import('./upnp.ts')).askUpnpRouter(router, signal)
      : undefined,
    stun && (await import('./stun.ts')).askStunServer(stun, signal),
  ]);
  const answers: readonly string[] = [
    ...new Set(said.filter((answer) => answer !== undefined)),
  ].sort();
  return { answers, addresses: answers.filter(isOnInternet) };
}

/** Whether an IPv4 address can be a home's public one. */
export function isOnInternet(address: string): boolean {
  return !isInAny(address, inside);
}

// The agent's namespace cannot reach the home's router. The host asks it, and leaves the answer in
// a folder that only root can write.
const path = '/run/tributary-outside';

/** What the host says to the agent in its namespace. */
export interface ToldByHost {
  /** The home's addresses on the Internet, as far as the host knows them. */
  readonly addresses: readonly string[];
  /** False where the host cannot forget connections as soon as the namespace does. */
  readonly isTimed: boolean;
}

const untimed = 'untimed';

/**
 * The file in which the host leaves it; the agent's user reads it.
 * @throws state-unreadable, state-unwritable
 */
export const outsideFile = {
  /** Without addresses where no host has made this namespace. */
  async read(): Promise<ToldByHost> {
    const lines = ((await readFileIfThere(path)) ?? '').split('\n');
    return {
      addresses: lines.filter((line) => isIPv4(line)),
      isTimed: !lines.includes(untimed),
    };
  },
  // The unit that writes the file may not change its owner, so everyone may read it.
  write: ({ addresses, isTimed }: ToldByHost) =>
    writeFileAtomic(
      path,
      [...addresses, ...(isTimed ? [] : [untimed])].map((line) => `${line}\n`).join(''),
      (file) => file.chmod(0o644),
    ),
  remove: () => removeFile(path),
};
