import type { Id } from '../wire/id.ts';
import { countRequestBytes } from '../wire/ip-frames.ts';
import type { ProvideMode } from '../wire/message-types.ts';
import { countPackBytes, type Pack } from '../wire/pack.ts';
import { closedByServiceAge } from './ages.ts';
import type { ReceivedContracts } from './received-contracts.ts';

/** The contracts that one receive sequence uses: which one a Pack counts against. */
export interface IncomingContracts {
  /** Admits what the Pack carries, and charges the Pack. False ends the sequence. */
  pay(pack: Pack, now: number): boolean;
  /** Admits what the Pack carries; an earlier life has charged it. */
  recall(pack: Pack, now: number): void;
  knows(contractId: Id): boolean;
  /** The mode of the contract in use; undefined before the first. */
  mode(): ProvideMode | undefined;
  /** The contract that was made last. */
  newest(): Anchor | undefined;
  /** Bytes of packets that came by contracts which the service had closed by then. */
  unpaidBytes(): number;
  /** Lets every contract go; the ledger reports them. */
  end(): void;
}

/**
 * The contract of a consumer by which the service grants ours. Times are those by which contracts
 * age.
 */
export interface Anchor {
  readonly createdAt: number;
  readonly cameAt: number;
}

/** Senders close a contract once it is full, so more open ones than this are of no use. */
const mostOpen = 4;

export function createIncomingContracts(
  ledger: ReceivedContracts,
  sourceId: Id,
): IncomingContracts {
  /** In order of their arrival. */
  const open = new Set<Id>();
  let current: Id | undefined;
  let mode: ProvideMode | undefined;
  let newest: Anchor | undefined;
  let unpaidBytes = 0;
  /** The contract in use as it came: each Pack that waits for none before it carries it again. */
  let admitted: Buffer | undefined;

  const admit = (bytes: Buffer, now: number): boolean => {
    if (admitted?.equals(bytes)) return true;
    const verified = ledger.admit(bytes, sourceId, now);
    if (verified.kind === 'refused') return false;
    admitted = Buffer.from(bytes);
    current = verified.contractId;
    mode = verified.mode;
    if (open.has(current)) return true;
    open.add(current);
    ledger.use(current);
    const time = ledger.time(now);
    const createdAt = ledger.createdAt(current) ?? time;
    if (createdAt > (newest?.createdAt ?? Number.NEGATIVE_INFINITY))
      newest = { createdAt, cameAt: time };
    const [oldest] = open;
    if (open.size > mostOpen && oldest !== undefined) {
      open.delete(oldest);
      ledger.release(oldest, 'superseded');
    }
    return true;
  };

  return {
    pay(pack, now) {
      if (pack.contract !== undefined && !admit(pack.contract, now)) return false;
      const charged = pack.contractId ?? current;
      if (charged === undefined || !open.has(charged)) return false;
      const bytes = countPackBytes(pack.frames);
      if (!ledger.charge(charged, bytes, now)) return false;
      const time = ledger.time(now);
      const isClosed = time - (ledger.createdAt(charged) ?? time) >= closedByServiceAge;
      if (isClosed) unpaidBytes += countRequestBytes(pack.frames);
      return true;
    },
    recall({ contract }, now) {
      if (contract !== undefined) admit(contract, now);
    },
    knows: (contractId) => open.has(contractId),
    mode: () => mode,
    newest: () => newest,
    unpaidBytes: () => unpaidBytes,
    end() {
      for (const one of open) ledger.release(one, one === current ? 'current' : 'superseded');
      open.clear();
    },
  };
}
