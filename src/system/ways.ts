import * as z from 'zod';
import { toUndefined } from './errors.ts';
import type { Exec } from './exec.ts';
import { listIp } from './ip-list.ts';

const wayRow = z
  .object({
    type: z.string().default('unicast'),
    dev: z.string().optional(),
    gateway: z.string().optional(),
    via: z.object({ host: z.string() }).optional(),
  })
  .transform(({ type, dev, gateway, via }) => ({
    type,
    interface: dev,
    gateway,
    /** A gateway of the other family: an IPv4 route by an IPv6 neighbour. */
    ...(via === undefined ? {} : { otherGateway: via.host }),
  }));

/** By which interface, and which gateway, a packet would leave now. */
export interface Way {
  readonly family: 4 | 6;
  readonly interface: string;
  /** undefined where the destination is on the link itself, or the gateway of the other family. */
  readonly gateway?: string | undefined;
  readonly otherGateway?: string;
}

/**
 * Addresses on the Internet that the kernel is asked about; no packet is ever sent to them. Two of
 * IPv4, one in each half: VPN programs route the Internet in two halves.
 */
const asked = { 4: ['12.34.56.78', '193.0.14.129'], 6: ['2001:7fd::1'] } as const;

/**
 * The kernel's own answers to the question how this machine's packets get to the Internet, whatever
 * the rules and tables are that they follow from; empty where they do not get there.
 * @throws missing-program
 */
export async function observeWays(exec: Exec, family: Way['family']): Promise<readonly Way[]> {
  return (await Promise.all(asked[family].map((address) => ask(exec, family, address)))).flat();
}

async function ask(exec: Exec, family: Way['family'], address: string): Promise<readonly Way[]> {
  const doing = `asking the kernel for the way to ${address}`;
  const words = `-${family} route get ${address}`;
  // It refuses to answer where there is no way.
  const rows = await listIp(exec, words, { row: wayRow, doing }).catch(
    toUndefined('command-failed'),
  );
  return (rows ?? []).flatMap(({ type, interface: name, ...way }) =>
    type === 'unicast' && name !== undefined ? [{ family, interface: name, ...way }] : [],
  );
}
