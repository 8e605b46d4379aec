import { createHmac } from 'node:crypto';
import {
  type CreateContract,
  type CreateContractResult,
  contract,
  contractKeys,
  storedContract,
  storedContractKeys,
} from '../../connect/wire/contract-messages.ts';
import { fromUuid, type Id, type IdSource, toUuid } from '../../connect/wire/id.ts';
import { encode } from '../../connect/wire/message.ts';
import { provideModes } from '../../connect/wire/message-types.ts';
import { sleep } from '../../lib/sleep.ts';
import type { ClientKeys } from './client-keys.ts';
import type { ContractBook, NewContract, Pair } from './contract-book.ts';
import { chooseMode, limitBytes, longestWaitForOrigin, refusals } from './contract-terms.ts';
import type { PlatformClock } from './platform-clock.ts';
import type { ProvideKeys } from './provide-keys.ts';

/** Answers a client that asks for a contract from it to another client. */
export interface ContractIssuer {
  issue(caller: Caller, request: CreateContract): Promise<CreateContractResult>;
}

/** A client that was recognized by its token. */
export interface Caller {
  /** A UUID. */
  readonly clientId: string;
  readonly networkId: string;
}

export interface ContractIssuerOptions {
  readonly book: ContractBook;
  readonly keys: ProvideKeys;
  readonly clientKeys: ClientKeys;
  readonly clock: PlatformClock;
  readonly ids: IdSource;
  /** Undefined for an unknown client. */
  readonly networkOf: (clientId: string) => string | undefined;
  /** Whether the network can pay for so many bytes more. */
  readonly canPay: (networkId: string, bytes: number) => boolean;
  /** A contract is there: a forward of the two may begin, and a stream where it was asked for. */
  readonly onIssued: (pair: Pair, as: { readonly beginsStream: boolean }) => void;
  /** Ends the waiting for origins. */
  readonly signal: AbortSignal;
}

const originPollMs = 100;

export function createContractIssuer(options: ContractIssuerOptions): ContractIssuer {
  const { book, keys, clock, ids } = options;

  /** The first answer packet may be quicker than the consumer's contract: its origin is awaited. */
  async function waitForOrigin(pair: Pair): Promise<boolean> {
    for (let waited = 0; !book.hasOrigin(pair); waited += originPollMs) {
      if (waited >= longestWaitForOrigin) return false;
      if (!(await sleep(originPollMs, options.signal))) return false;
    }
    return true;
  }

  /**
   * By which secret of the destination it is signed. A provider that answers within its own network
   * asks for a plain contract; a consumer that publishes only Stream is answered by a companion all
   * the same.
   */
  function findSecret(of: {
    readonly destinationId: string;
    readonly isCompanion: boolean;
    readonly isSameNetwork: boolean;
  }): Signer | undefined {
    const mode = chooseMode(of);
    const secret = keys.find(of.destinationId, mode);
    if (secret !== undefined) return { mode, secret, isCompanion: of.isCompanion };
    if (of.isCompanion || !of.isSameNetwork) return undefined;
    return findSecret({ ...of, isCompanion: true });
  }

  async function decide(caller: Caller, request: CreateContract): Promise<Decision> {
    const destinationId = toUuid(request.destinationId);
    const pair = { sourceId: caller.clientId, destinationId };
    const destinationNetwork = options.networkOf(destinationId);
    const isSameNetwork = destinationNetwork === caller.networkId;
    const signer = findSecret({ destinationId, isCompanion: request.isCompanion, isSameNetwork });
    if (signer === undefined || destinationNetwork === undefined)
      return { kind: 'refused', error: refusals.noPermission };
    const { mode, secret, isCompanion } = signer;
    if (isCompanion && !(await waitForOrigin(pair)))
      return { kind: 'refused', error: refusals.insufficientBalance };
    // The consumer pays for both ways: as the source of a plain contract, and as the destination of
    // a companion.
    const [payerId, payeeId] = isCompanion
      ? [destinationNetwork, caller.networkId]
      : [caller.networkId, destinationNetwork];
    const byteCount = limitBytes(request.transferByteCount);
    if (mode !== provideModes.network && !options.canPay(payerId, byteCount))
      return { kind: 'refused', error: refusals.insufficientBalance };
    const createdMs = clock.now();
    const terms = { ...pair, mode, byteCount, payerId, payeeId, createdMs };
    return {
      kind: 'granted',
      contractId: ids.next(createdMs),
      secret,
      terms: { ...terms, isCompanion: isCompanion ? 1 : 0 },
    };
  }

  return {
    async issue(caller, request) {
      const decision = await decide(caller, request);
      const echo = request.streamVersion >= 1 ? request : undefined;
      if (decision.kind === 'refused')
        return { error: decision.error, contract: undefined, request: echo };
      const { contractId, terms } = decision;
      book.add({ contractId: toUuid(contractId), ...terms });
      const beginsStream = request.forceStream === true && terms.isCompanion === 0;
      options.onIssued(terms, { beginsStream });
      return { error: undefined, contract: sign(decision, options.clientKeys), request: echo };
    },
  };
}

type Decision =
  | { readonly kind: 'refused'; readonly error: number }
  | {
      readonly kind: 'granted';
      readonly contractId: Id;
      readonly secret: Buffer;
      readonly terms: Omit<NewContract, 'contractId'>;
    };

interface Signer {
  readonly mode: number;
  readonly secret: Buffer;
  readonly isCompanion: boolean;
}

/** The standard form: a HMAC over the contract's own bytes. */
function sign(
  { contractId, secret, terms }: Decision & { readonly kind: 'granted' },
  clientKeys: Pick<ClientKeys, 'find'>,
): Buffer {
  const { publicKey, certificates, signature } = clientKeys.find(terms.destinationId);
  const keys = {
    destinationCertificates: certificates,
    destinationKey: publicKey,
    certificatesSignature: signature,
  };
  const stored = encode(storedContract, {
    contractId,
    transferByteCount: terms.byteCount,
    sourceId: fromUuid(terms.sourceId),
    destinationId: fromUuid(terms.destinationId),
    priority: 1,
  });
  // It is said twice, once of it signed.
  const storedBytes = Buffer.concat([stored, encode(storedContractKeys, keys)]);
  const hmac = createHmac('sha256', secret).update(storedBytes).digest();
  const signed = encode(contract, { storedBytes, hmac, mode: terms.mode });
  return Buffer.concat([signed, encode(contractKeys, keys)]);
}
