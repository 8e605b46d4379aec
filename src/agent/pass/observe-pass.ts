import { type ObservedHost, observeHost } from '../../data-path/observe.ts';
import { holdsPermit, isPermitHeld } from '../../data-path/permit.ts';
import type { CountedDevice, SegmentCount } from '../../data-path/segment-count.ts';
import type { DataPathHost } from '../../data-path/state.ts';
import type { UsageAccounting } from '../../data-path/usage-accounting.ts';
import type { NftTable } from '../../system/nft.ts';
import type { Carried } from '../../system/traffic.ts';
import type { AgentState, Shared } from '../state.ts';
import type { KernelWatch } from './kernel-watch.ts';
import { hasDueTest } from './note-self-test.ts';

export interface ObservePassParts extends Pick<Shared, 'state'> {
  readonly host: Pick<DataPathHost, 'exec'>;
  /** What is compared with the table is read before it, and not where the table is not read. */
  readonly segments: Pick<SegmentCount, 'read'>;
  readonly watch: Pick<KernelWatch, 'observeNetwork' | 'vouchesFor'>;
  readonly usage: Pick<UsageAccounting, 'stopAtBytes'>;
  /** What an interface carried since it was made; undefined for a name that no interface has. */
  readonly readCarried: (name: string) => Carried | undefined;
  /** The ports at which programs here wait to be spoken to. */
  readonly readListeningPorts: () => Promise<readonly number[]>;
}

/** What a pass begins with. */
export interface PassObservation {
  readonly host: ObservedHost;
  /** When the table in `host` was read. If `host.isVouched`, the last pass read it. */
  readonly tableRead: AgentState['path']['tableRead'];
}

/** The sources' devices that are there, for the count of what they carry. */
export function listDevices({
  state,
  readCarried,
}: Pick<ObservePassParts, 'state' | 'readCarried'>): readonly CountedDevice[] {
  return state.sources.all.flatMap(({ driver: { device: name } }) => {
    const carried = readCarried(name);
    return carried === undefined ? [] : [{ name, ...carried }];
  });
}

/** More bytes than WireGuard sends on its own between two readings of the table. */
const quietBytes = 16_384;

/**
 * Observes the machine for a pass. It alone decides whether the agent's table is read, or taken
 * over from the last pass because only counts can have changed since.
 * @throws command-failed, missing-program
 */
export async function observePass(parts: ObservePassParts): Promise<PassObservation> {
  const { state, host, watch } = parts;
  const { path } = state;
  const vouched = await findVouchedTable(parts);
  if (vouched === undefined)
    await parts.segments.read(listDevices(parts), {
      hasCap: parts.usage.stopAtBytes() !== undefined,
    });
  const tableRead = vouched === undefined ? noteReading(parts) : path.tableRead;
  const observed = await observeHost(host.exec, {
    devices: state.sources.all.map(({ driver }) => driver.device),
    isDenying:
      state.denied.lists.length > 0 ||
      state.denied.badAddresses.length > 0 ||
      path.observed?.isDenying !== false,
    seen: vouched,
    readNetwork: watch.observeNetwork,
    readListeningPorts: parts.readListeningPorts,
  });
  return {
    host: { ...observed, record: path.observed?.record, isVouched: vouched !== undefined },
    tableRead,
  };
}

/**
 * The table of the last pass, if a monitor vouches for it, it has a permit that goes on, no caller
 * waits for its counts, and no consumer has used the tunnel since. undefined if it has to be read.
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

/** The bytes that all existing devices of sources carried; undefined if no device exists. */
function countCarriedBytes({ state, readCarried }: ObservePassParts): number | undefined {
  const each = listDevices({ state, readCarried });
  if (each.length === 0) return undefined;
  return each.reduce((sum, { rxBytes, txBytes }) => sum + rxBytes + txBytes, 0);
}
