import type { OwnContracts } from '../contract/own-contracts.ts';
import type { Id } from '../wire/id.ts';

/** A contract to ask the platform for; each is answered once, to `contracts`. */
export interface ContractAsk {
  readonly destinationId: Id;
  readonly transferByteCount: number;
  readonly isCompanion: boolean;
  readonly forceStream: boolean;
  readonly contracts: Pick<OwnContracts, 'refused' | 'step'> & {
    granted(contract: Buffer, now: number): void;
  };
}
