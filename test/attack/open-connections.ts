import { attackAddresses as own } from './packet-data.ts';
import type { OpenConnection, Row } from './row.ts';
import type { AttackWorld } from './world.ts';

/** Longer than a round of rows takes, in seconds. */
const openSeconds = 600;

/**
 * Makes the kernel remember these rows' connections, with nothing said of them yet. Rows that need
 * one would be held by nothing where it fails, which the scenario without any rule shows.
 */
export async function openConnections(
  { way, inside, onHost }: Pick<AttackWorld, 'way' | 'inside' | 'onHost'>,
  rows: readonly Row[],
): Promise<void> {
  const open = rows.flatMap(({ open: connection }) => connection ?? []);
  if (open.length === 0) return;
  if (way === 'container') {
    const device = (far: string) => (far.includes(':') ? own.device6 : own.device4);
    await inside('sh', '-c', open.map((one) => remember(one, device(one.far))).join('\n'));
    return;
  }
  // The namespace on a host has no IPv6.
  const there = open.filter(({ far }) => !far.includes(':'));
  await inside('sh', '-c', there.map((one) => remember(one, own.inside4)).join('\n'));
  const around = there.map((one) => remember({ ...one, source: own.inside4 }, own.device4));
  await onHost('sh', '-c', around.join('\n'));
}

/** Lines that forget a connection, with its mark, and remember it again as answered. */
function remember({ protocol, source, far, ports }: OpenConnection, translated: string): string {
  const between = ports === undefined ? '' : `--sport ${ports.source} --dport ${ports.far}`;
  const name = `-p ${protocol} -s ${source} -d ${far} ${between}`;
  const state = protocol === 'tcp' ? '--state ESTABLISHED' : '';
  return [
    `conntrack -D ${name} >/dev/null 2>&1`,
    `conntrack -I ${name} -n ${translated} -t ${openSeconds} -u SEEN_REPLY,ASSURED ${state} >/dev/null 2>&1 || :`,
  ].join('\n');
}
