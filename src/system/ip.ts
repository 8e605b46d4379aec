import * as z from 'zod';
import type { Exec, Talk } from './exec.ts';
import { listIp } from './ip-list.ts';
import { toTun, toTunnelEnd } from './link-details.ts';
import { observeRouters, type Router } from './routers.ts';
import { speaksIpv6 } from './sysctl.ts';
import { observeWays, type Way } from './ways.ts';

const interfaceRow = z
  .object({
    ifindex: z.number(),
    ifname: z.string(),
    flags: z.array(z.string()).default([]),
    mtu: z.number().default(1500),
    txqlen: z.number().optional(),
    address: z.string().optional(),
    linkinfo: z
      .object({
        info_kind: z.string().optional(),
        info_data: z
          .object({
            vnet_hdr: z.boolean(),
            user: z.union([z.string(), z.number()]),
            remote: z.union([z.ipv4(), z.ipv6()]).catch(''),
          })
          .partial()
          .optional(),
      })
      .optional(),
    addr_info: z
      .array(
        z.object({
          family: z.string(),
          local: z.string().optional(),
          prefixlen: z.number().optional(),
        }),
      )
      .default([]),
  })
  .transform((row) => ({
    name: row.ifname,
    isUp: row.flags.includes('UP'),
    isLoopback: row.flags.includes('LOOPBACK'),
    mtu: row.mtu,
    hardwareAddress: row.address,
    /**
     * The kind of a virtual interface: `veth`, `wireguard`, `tun`, …; undefined for hardware and
     * loopback.
     */
    kind: row.linkinfo?.info_kind,
    ...toTun(row),
    ...toTunnelEnd(row.linkinfo?.info_data?.remote),
    addresses: row.addr_info.flatMap(
      ({ family: kind, local: address, prefixlen: prefixLength }) => {
        const family: Family | undefined = kind === 'inet' ? 4 : kind === 'inet6' ? 6 : undefined;
        const isWhole = family !== undefined && address !== undefined && prefixLength !== undefined;
        return isWhole ? [{ family, address, prefixLength }] : [];
      },
    ) as readonly InterfaceAddress[],
  }));
const hop = {
  dev: z.string().optional(),
  gateway: z.string().optional(),
  via: z.object({ host: z.string() }).optional(),
} as const;
const routeRow = z
  .object({
    ...hop,
    type: z.string().default('unicast'),
    dst: z.string(),
    metric: z.number().default(0),
    table: z.string().default('main'),
    nexthops: z.array(z.object(hop)).default([]),
  })
  .transform(({ dst, dev, gateway, via, nexthops, ...row }) =>
    (nexthops.length === 0 ? [{ dev, gateway, via }] : nexthops).map((next) => ({
      ...row,
      destination: dst,
      interface: next.dev,
      gateway: next.gateway,
      /** A gateway of the other family: an IPv4 route by an IPv6 neighbour. */
      ...(next.via === undefined ? {} : { otherGateway: next.via.host }),
    })),
  );
const ruleRow = z
  .object({
    priority: z.number(),
    iif: z.string().optional(),
    dst: z.string().optional(),
    table: z.string().optional(),
  })
  .transform(({ priority, iif, table, dst }) => ({
    priority,
    incomingInterface: iif,
    table,
    destination: dst,
  }));

export type Family = 4 | 6;

type InterfaceAddress = {
  readonly family: Family;
  readonly address: string;
  readonly prefixLength: number;
};

/** A network interface. */
export type Interface = Readonly<z.output<typeof interfaceRow>>;

/**
 * A route; `type` is `unicast` unless the kernel says otherwise (`blackhole`, `throw`, `local`),
 * `destination` a prefix, an address or `default`. A route with several next hops is one of these
 * for each of them.
 */
export type Route = Readonly<z.output<typeof routeRow>[number]> & { readonly family: Family };

/**
 * A routing policy rule, as far as this program makes any. `destination` is a single address;
 * undefined means any destination.
 */
export type PolicyRule = Omit<Readonly<z.output<typeof ruleRow>>, 'destination'> & {
  readonly family: Family;
  readonly destination?: string | undefined;
};

/**
 * Every interface of this network namespace with its addresses.
 * @throws command-failed, missing-program
 */
export async function observeInterfaces(exec: Exec): Promise<readonly Interface[]> {
  return listIp(exec, '-d address show', {
    row: interfaceRow,
    doing: 'reading the network interfaces',
  });
}

/** Every route of every table of one family. @throws command-failed, missing-program */
export async function observeRoutes(exec: Exec, family: Family): Promise<readonly Route[]> {
  // The kept program speaks both families. `root 0.0.0.0/0` leaves only IPv4 routes, since a
  // default route does not show its family.
  const words = `-${family} route show table all${family === 4 ? ' root 0.0.0.0/0' : ''}`;
  const rows = await listIp(exec, words, { row: routeRow, doing: 'reading the routes' });
  return rows.flat().map((row) => ({ family, ...row }));
}

/** Every policy rule of one family. @throws command-failed, missing-program */
export async function observeRules(exec: Exec, family: Family): Promise<readonly PolicyRule[]> {
  const rows = await listIp(exec, `-${family} rule show`, {
    row: ruleRow,
    doing: 'reading the routing rules',
  });
  return rows.map((row) => ({ family, ...row }));
}

/** What a network namespace held at one moment. */
export interface Network {
  /** Those that the kernel supports; 4 is always among them. */
  readonly families: readonly Family[];
  readonly interfaces: readonly Interface[];
  /** Of every family and every table. */
  readonly routes: readonly Route[];
  readonly rules: readonly PolicyRule[];
  /** How packets of this machine's own get to the Internet, as the kernel says itself. */
  readonly ways: readonly Way[];
  /** Where those ways lead on; absent where nobody asked. */
  readonly routers?: readonly Router[];
}

/**
 * Reads the whole network: interfaces, routes, rules and the ways to the Internet.
 * @throws command-failed, missing-program
 */
export async function observeNetwork(exec: Exec): Promise<Network> {
  const families: readonly Family[] = (await speaksIpv6()) ? [4, 6] : [4];
  const ofEach = async <T>(
    observe: (exec: Exec, family: Family) => Promise<readonly T[]>,
  ): Promise<readonly T[]> =>
    (await Promise.all(families.map((family) => observe(exec, family)))).flat() as readonly T[];
  const [interfaces, routes, rules, ways] = await Promise.all([
    observeInterfaces(exec),
    ofEach(observeRoutes),
    ofEach(observeRules),
    ofEach(observeWays),
  ]);
  const routers = await observeRouters(exec, ways);
  return { families, interfaces, routes, rules, ways, routers };
}

/** One line of `ip -batch`; the family is an option of the whole batch. */
export interface IpCommand {
  readonly family: Family;
  readonly line: string;
}

/**
 * Runs the commands in order, each family's in one process, and stops at the first that fails.
 * @throws command-failed
 */
export async function applyIpCommands(
  exec: Exec,
  commands: readonly IpCommand[],
  doing: string,
): Promise<void> {
  for (const family of [4, 6] as const) {
    const lines = commands
      .filter((command) => command.family === family)
      .map((command) => command.line);
    if (lines.length > 0) {
      const talk: Talk = { to: family === 6 ? 'ip -6' : 'ip', lines, isChange: true };
      const input = lines.join('\n');
      await exec({
        program: 'ip',
        args: [`-${family}`, '-batch', '-'],
        input: `${input}\n`,
        doing,
        talk,
      });
    }
  }
}
