import { type ObservedHost, observeHost } from '../../data-path/observe.ts';
import { holdsPermit, isPermitHeld } from '../../data-path/permit.ts';
import type { DataPathHost } from '../../data-path/state.ts';
import type { UsageAccounting } from '../../data-path/usage-accounting.ts';
import type { NftTable } from '../../system/nft.ts';
import type { Carried } from '../../system/traffic.ts';
import type { AgentState, Shared } from '../state.ts';
import type { KernelWatch } from './kernel-watch.ts';
import { hasDueTest } from './note-self-test.ts';

export interface ObservePassParts extends Pick<Shared, 'state'> {
  readonly host: Pick<DataPathHost, 'exec'>;
  readonly watch: Pick<KernelWatch, 'observeNetwork' | 'vouchesFor'>;
  readonly usage: Pick<UsageAccounting, 'stopAtBytes'>;
  /** What an interface carried since it was made; undefined for a name that no interface has. */
  readonly readCarried: (name: string) => Carried | undefined;
}

/** What a pass begins with. */
export interface PassObservation {
  readonly host: ObservedHost;
  /** Of the table in `host`: the pass before read it where `host.isVouched`. */
  readonly tableRead: AgentState['path']['tableRead'];
}

/** More bytes than WireGuard sends on its own between two readings of the table. */
const quietBytes = 16_384;

/**
 * The machine as a pass finds it. Decides alone whether the agent's table is read, or taken as the
 * pass before left it because nothing but counts can have changed since; nobody else has to know
 * which.
 * @throws command-failed, missing-program
 */
export async function observePass(parts: ObservePassParts): Promise<PassObservation> {
  const { state, host, watch } = parts;
  const { path } = state;
  const vouched = await findVouchedTable(parts);
  const tableRead = vouched === undefined ? noteReading(parts) : path.tableRead;
  const observed = await observeHost(host.exec, {
    devices: state.sources.all.map(({ driver }) => driver.device),
    isDenying: state.denied.lists.length > 0 || path.observed?.isDenying !== false,
    seen: vouched,
    readNetwork: watch.observeNetwork,
  });
  return {
    host: { ...observed, record: path.observed?.record, isVouched: vouched !== undefined },
    tableRead,
  };
}

/**
 * The table as the pass before left it, where a monitor vouches for it, it shows a permit that goes
 * on, nobody waits for a count in it, and no consumer has used the tunnel since. undefined: it has
 * to be read.
 */
async function findVouchedTable(parts: ObservePassParts): Promise<NftTable | undefined> {
  const { usage, watch, host } = parts;
  const { path } = parts.state;
  const { table, record } = path.observed ?? {};
  const isOpen = (path.openUntilMs ?? 0) > performance.now() && holdsPermit(table);
  const isAwaited =
    usage.stopAtBytes() !== undefined || hasDueTest(path) || path.selfTest?.failure !== undefined;
  if (!isOpen || isAwaited || record === undefined) return undefined;
  if (!watch.vouchesFor(path.tableRead?.atMs) || !isQuiet(parts)) return undefined;
  // A test packet that got through takes the permit away, and no monitor tells of that.
  return (await isPermitHeld(host.exec)) ? table : undefined;
}

/** Before the reading: what the sources carry meanwhile counts as carried since. */
function noteReading(parts: ObservePassParts): AgentState['path']['tableRead'] {
  return { atMs: performance.now(), carriedBytes: countCarriedBytes(parts) };
}

/** True where the sources carried no more since the table was read than WireGuard sends itself. */
function isQuiet(parts: ObservePassParts): boolean {
  const before = parts.state.path.tableRead?.carriedBytes;
  const now = countCarriedBytes(parts);
  return before !== undefined && now !== undefined && Math.abs(now - before) <= quietBytes;
}

/** What all sources' devices that are there carried; undefined: none of them is there. */
function countCarriedBytes({ state, readCarried }: ObservePassParts): number | undefined {
  const each = state.sources.all.flatMap(({ driver }) => readCarried(driver.device) ?? []);
  if (each.length === 0) return undefined;
  return each.reduce((sum, { rxBytes, txBytes }) => sum + rxBytes + txBytes, 0);
}
