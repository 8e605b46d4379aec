import type { Id } from '../wire/id.ts';
import type { ProvideMode } from '../wire/message-types.ts';
import { countPackBytes, type Pack } from '../wire/pack.ts';
import type { ReceivedContracts } from './received-contracts.ts';

/** The contracts that one receive sequence uses: which one a Pack counts against. */
export interface IncomingContracts {
  /** Admits what the Pack carries, and charges the Pack. False ends the sequence. */
  pay(pack: Pack, now: number): boolean;
  knows(contractId: Id): boolean;
  /** The mode of the contract in use; undefined before the first. */
  mode(): ProvideMode | undefined;
  /** When the newest contract came, in ms. */
  newestAt(): number | undefined;
  /** Lets every contract go; the ledger reports them. */
  end(): void;
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
  let newestAt: number | undefined;

  const admit = (bytes: Buffer, now: number): boolean => {
    const verified = ledger.admit(bytes, sourceId, now);
    if (verified.kind === 'refused') return false;
    current = verified.contractId;
    mode = verified.mode;
    if (open.has(current)) return true;
    open.add(current);
    ledger.use(current);
    newestAt = now;
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
      return ledger.charge(charged, countPackBytes(pack.frames), now);
    },
    knows: (contractId) => open.has(contractId),
    mode: () => mode,
    newestAt: () => newestAt,
    end() {
      for (const one of open) ledger.release(one, one === current ? 'current' : 'superseded');
      open.clear();
    },
  };
}
