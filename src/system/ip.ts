import * as z from 'zod';
import { TributaryError } from '../lib/errors.ts';
import type { Exec } from './exec.ts';

const link = z.object({
  ifindex: z.number(),
  ifname: z.string(),
  flags: z.array(z.string()).default([]),
  mtu: z.number().default(1500),
  address: z.string().optional(),
  linkinfo: z.object({ info_kind: z.string().optional() }).optional(),
});
const addressed = z.object({
  ifname: z.string().optional(),
  addr_info: z
    .array(z.object({ family: z.string(), local: z.string(), prefixlen: z.number(), scope: z.string().optional() }))
    .default([]),
});
const route = z.object({
  type: z.string().optional(),
  dst: z.string(),
  dev: z.string().optional(),
  gateway: z.string().optional(),
  metric: z.number().optional(),
});
const rule = z.object({
  priority: z.number(),
  src: z.string().optional(),
  iif: z.string().optional(),
  table: z.string().optional(),
});

/** A network interface. `kind` is undefined for hardware (and loopback), else `veth`, `wireguard`, `tun`, … */
export interface Link {
  readonly index: number;
  readonly name: string;
  readonly isUp: boolean;
  readonly mtu: number;
  readonly hardwareAddress: string | undefined;
  readonly kind: string | undefined;
}

/** An address on an interface. */
export interface InterfaceAddress {
  readonly interface: string;
  readonly family: 4 | 6;
  readonly address: string;
  readonly prefixLength: number;
}

/** A route; `type` is `unicast` unless the kernel says otherwise (`blackhole`, `throw`). */
export interface Route {
  readonly type: string;
  readonly destination: string;
  readonly interface: string | undefined;
  readonly gateway: string | undefined;
  readonly metric: number;
}

export interface PolicyRule {
  readonly priority: number;
  readonly incomingInterface: string | undefined;
  readonly table: string | undefined;
}

type Family = 4 | 6;

/** @throws command-failed, missing-program */
export async function observeLinks(exec: Exec): Promise<readonly Link[]> {
  const rows = await listIp(exec, ['-d', 'link', 'show'], z.array(link), 'reading the network interfaces');
  return rows.map((row) => ({
    index: row.ifindex,
    name: row.ifname,
    isUp: row.flags.includes('UP'),
    mtu: row.mtu,
    hardwareAddress: row.address,
    kind: row.linkinfo?.info_kind,
  }));
}

/** Every address on every interface, loopback included. @throws command-failed, missing-program */
export async function observeAddresses(exec: Exec): Promise<readonly InterfaceAddress[]> {
  const rows = await listIp(exec, ['address', 'show'], z.array(addressed), 'reading the addresses');
  return rows.flatMap((row) =>
    row.addr_info.flatMap((info) =>
      info.family === 'inet' || info.family === 'inet6'
        ? [
            {
              interface: row.ifname ?? '',
              family: info.family === 'inet' ? (4 as const) : (6 as const),
              address: info.local,
              prefixLength: info.prefixlen,
            },
          ]
        : [],
    ),
  );
}

/** A table's routes; an absent table is empty. @throws command-failed, missing-program */
export async function observeRoutes(exec: Exec, family: Family, table: string): Promise<readonly Route[]> {
  const args = [`-${family}`, 'route', 'show', 'table', table];
  let rows: z.infer<typeof route>[];
  try {
    rows = await listIp(exec, args, z.array(route), `reading routing table ${table}`);
  } catch (error) {
    if (error instanceof TributaryError && error.message.includes('FIB table does not exist')) return [];
    throw error;
  }
  return rows.map((row) => ({
    type: row.type ?? 'unicast',
    destination: row.dst,
    interface: row.dev,
    gateway: row.gateway,
    metric: row.metric ?? 0,
  }));
}

/** @throws command-failed, missing-program */
export async function observeRules(exec: Exec, family: Family): Promise<readonly PolicyRule[]> {
  const rows = await listIp(exec, [`-${family}`, 'rule', 'show'], z.array(rule), 'reading the routing rules');
  return rows.map((row) => ({ priority: row.priority, incomingInterface: row.iif, table: row.table }));
}

/** Runs `ip` commands, one a line, in one process; it stops at the first that fails. @throws command-failed */
export async function applyIpBatch(exec: Exec, lines: readonly string[], doing: string): Promise<void> {
  if (lines.length === 0) return;
  await exec({ program: 'ip', args: ['-batch', '-'], input: `${lines.join('\n')}\n`, doing });
}

async function listIp<T>(exec: Exec, args: readonly string[], schema: z.ZodType<T>, doing: string): Promise<T> {
  const text = await exec({ program: 'ip', args: ['-j', ...args], doing });
  let value: unknown;
  try {
    value = text.trim() === '' ? [] : JSON.parse(text);
  } catch {
    value = undefined;
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new TributaryError('command-failed', `${doing}: ip printed something unexpected`);
  return parsed.data;
}
