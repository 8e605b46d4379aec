import { isIPv4 } from 'node:net';
import { isInAny } from '../lib/addresses.ts';
import { readFileIfThere, removeFile, writeFileAtomic } from './files.ts';
import { askRouterForAddress } from './nat-pmp.ts';

/** Who is asked for the home's public address; undefined and false: not asked. */
export interface Askable {
  readonly router: string | undefined;
  readonly natPmp: boolean;
  readonly upnp: boolean;
  /** HOST:PORT of a STUN server. */
  readonly stun: string | undefined;
}

/**
 * Each that answers says one address; `addresses` are those that the Internet has. Everything said
 * is input.
 */
export type Said = Readonly<Awaited<ReturnType<typeof askForPublicAddresses>>>;

/**
 * What is no address on the Internet: a router behind another says such a one, or one that is not
 * connected.
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

/** Asks all of them at once; at most one address of each is taken, so no answer can deny much. */
export async function askForPublicAddresses(
  { router, natPmp, upnp, stun }: Askable,
  signal: AbortSignal,
) {
  const [host = '', port] = stun?.split(/:(?=\d+$)/) ?? [];
  const said = await Promise.all([
    natPmp && router !== undefined ? askRouterForAddress(router, signal) : undefined,
    // Loaded late: most homes need neither.
    upnp && router !== undefined
      ? (await import('./upnp.ts')).askUpnpRouter(router, signal)
      : undefined,
    port === undefined
      ? undefined
      : (await import('./stun.ts')).askStunServer({ host, port: Number(port) }, signal),
  ]);
  const answers: readonly string[] = [
    ...new Set(said.filter((answer) => answer !== undefined)),
  ].sort();
  return { answers, addresses: answers.filter((address) => !isInAny(address, inside)) };
}

// The home's router is out of the agent's reach: the host asks it, and tells the agent where root
// alone can write.
const path = '/run/tributary-outside';

/**
 * What the host learnt of the home's public addresses; the agent's user reads it.
 * @throws state-unreadable, state-unwritable
 */
export const outsideFile = {
  /** None where no host made this namespace. */
  async read(): Promise<readonly string[]> {
    return ((await readFileIfThere(path)) ?? '').split('\n').filter((line) => isIPv4(line));
  },
  // The unit that writes it may not change whose a file is.
  write: (addresses: readonly string[]) =>
    writeFileAtomic(path, addresses.map((address) => `${address}\n`).join(''), (file) =>
      file.chmod(0o644),
    ),
  remove: () => removeFile(path),
};
