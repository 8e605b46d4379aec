import * as z from 'zod';
import type { Exec } from './exec.ts';
import { listIp } from './ip-list.ts';
import type { Way } from './ways.ts';

const neighbourRow = z.object({ lladdr: z.string().optional() });

/** Where a way leads on: a router on the same link, as the kernel knows it. */
export interface Router {
  readonly interface: string;
  readonly address: string;
  /**
   * Another one at the same address means another router, with another connection behind it.
   * undefined while the kernel is asking for it.
   */
  readonly hardwareAddress: string | undefined;
}

/**
 * The routers of the ways to the Internet, each once.
 * @throws command-failed, missing-program
 */
export async function observeRouters(exec: Exec, ways: readonly Way[]): Promise<readonly Router[]> {
  const named = ways.flatMap(({ interface: name, gateway, otherGateway }) => {
    const address = gateway ?? otherGateway;
    return address === undefined ? [] : [[`${name} ${address}`, { name, address }] as const];
  });
  return Promise.all(
    [...new Map(named).values()].map(async ({ name, address }) => {
      const words = `-${address.includes(':') ? 6 : 4} neighbour show to ${address} dev ${name}`;
      const [found] = await listIp(exec, words, {
        row: neighbourRow,
        doing: `asking for the router ${address}`,
      });
      return { interface: name, address, hardwareAddress: found?.lladdr };
    }),
  );
}

const neighbourLine = /^\[NEIGH\](\S+) dev (\S+) lladdr (\S+) /;

/**
 * Whether a line of `ip -o monitor` says that one of these routers has another hardware address now
 * than when they were read. All else that it tells of neighbours is no news: they come, go and are
 * asked again all the time.
 */
export function isOtherRouter(line: string, routers: readonly Router[]): boolean {
  const [, address, name, hardwareAddress] = neighbourLine.exec(line) ?? [];
  return routers.some(
    (router) =>
      router.address === address &&
      router.interface === name &&
      router.hardwareAddress !== hardwareAddress,
  );
}
