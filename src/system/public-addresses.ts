import { isIPv4 } from 'node:net';
import { isOnInternet } from '../lib/addresses.ts';
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

// The agent's namespace cannot reach the home's router. The host asks it, and leaves the answer in
// a folder that only root can write.
const path = '/run/tributary-outside';

/** What the host says to the agent in its namespace. */
export interface ToldByHost {
  /** The home's addresses on the Internet, as far as the host was told them. */
  readonly addresses: readonly string[];
  /** The home's router, as the host sees it; undefined without one. */
  readonly router: string | undefined;
  /** False where the host cannot forget connections as soon as the namespace does. */
  readonly isTimed: boolean;
}

const untimed = 'untimed';
const routerMark = 'router ';

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
      router: lines.find((line) => line.startsWith(routerMark))?.slice(routerMark.length),
      isTimed: !lines.includes(untimed),
    };
  },
  // The unit that writes the file may not change its owner, so everyone may read it.
  write({ addresses, router, isTimed }: ToldByHost) {
    const lines = [
      ...addresses,
      ...(router === undefined ? [] : [`${routerMark}${router}`]),
      ...(isTimed ? [] : [untimed]),
    ];
    const text = lines.map((line) => `${line}\n`).join('');
    return writeFileAtomic(path, text, (file) => file.chmod(0o644));
  },
  remove: () => removeFile(path),
};
