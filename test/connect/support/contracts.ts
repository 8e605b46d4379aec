import { signContract } from '../../../src/connect/contract/verify.ts';
import {
  contract,
  contractKeys,
  storedContract,
} from '../../../src/connect/wire/contract-messages.ts';
import { createIdSource, type Id, type IdSource } from '../../../src/connect/wire/id.ts';
import { encode } from '../../../src/connect/wire/message.ts';
import { createChance } from './link.ts';
import { chanceBytes } from './pair.ts';

export const testIds = (seed = 1): IdSource =>
  createIdSource({ randomBytes: chanceBytes(createChance(seed)) });

/** A contract as the platform makes it. */
export function makeContract(of: {
  readonly contractId: Id;
  readonly sourceId: Id;
  readonly destinationId: Id;
  readonly byteCount: number;
  readonly secret: Buffer;
  readonly mode: number;
  readonly destinationKey?: Buffer | undefined;
}): Buffer {
  const storedBytes = encode(storedContract, {
    contractId: of.contractId,
    transferByteCount: of.byteCount,
    sourceId: of.sourceId,
    destinationId: of.destinationId,
    priority: 1,
  });
  const signed = encode(contract, {
    storedBytes,
    hmac: signContract(of.secret, storedBytes),
    mode: of.mode,
  });
  return Buffer.concat([signed, encode(contractKeys, toKeys(of.destinationKey))]);
}

const toKeys = (destinationKey: Buffer | undefined) => ({
  destinationKey,
  destinationCertificates: undefined,
  certificatesSignature: undefined,
});
