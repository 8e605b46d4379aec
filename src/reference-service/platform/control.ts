import * as contracts from '../../connect/wire/contract-messages.ts';
import { provide } from '../../connect/wire/control-messages.ts';
import { clientKey, encryptedKey } from '../../connect/wire/encrypted-control.ts';
import { decodeFrames, encodeFrames, type Frame, toFrame } from '../../connect/wire/frame.ts';
import { toUuid } from '../../connect/wire/id.ts';
import { decode, encode } from '../../connect/wire/message.ts';
import { messageTypes } from '../../connect/wire/message-types.ts';
import { WireError } from '../../connect/wire/wire-error.ts';
import { messageOf } from '../../lib/errors.ts';
import type { ClientKeys } from './client-keys.ts';
import type { ContractBook, ReportOutcome } from './contract-book.ts';
import type { Caller, ContractIssuer } from './issue-contract.ts';
import type { ProvideKeys } from './provide-keys.ts';

/** What clients ask of the platform: secrets to publish, contracts, and reports of them. */
export interface Control {
  /**
   * Carries out the frames of a request over HTTP, each on its own. The answer has the frames that
   * answer them, and what failed.
   */
  answer(caller: Caller, pack: Buffer): Promise<ControlAnswer>;
  /** Carries out a frame that came by the socket; there is no answer, and no error. */
  take(caller: Caller, frame: Frame): void;
}

export interface ControlAnswer {
  readonly pack: Buffer;
  /** The errors of all frames, in one text; undefined where there was none. */
  readonly error: string | undefined;
}

export interface ControlOptions {
  readonly issuer: ContractIssuer;
  readonly book: ContractBook;
  readonly keys: ProvideKeys;
  readonly clientKeys: ClientKeys;
  /** A client published its secrets, also if they are the same as before. */
  readonly onPublished: (clientId: string) => void;
}

const reportErrors: Readonly<Record<ReportOutcome, string | undefined>> = {
  counted: undefined,
  'not-found': 'Contract not found',
  'not-a-party': 'The client is not a party of the contract',
  disputed: 'The contract is in dispute',
  closed: 'The contract is already closed with outcome settled',
};

export function createControl(options: ControlOptions): Control {
  const { issuer, book, keys, clientKeys, onPublished } = options;
  /** @throws ControlError, WireError */
  function carryOut(caller: Caller, { type, bytes }: Frame): void {
    const { clientId } = caller;
    if (type === messageTypes.provide) {
      keys.publish(clientId, decode(provide, bytes).keys);
      onPublished(clientId);
      return;
    }
    if (type === messageTypes.clientKey) {
      clientKeys.publishKey(clientId, decode(clientKey, bytes));
      return;
    }
    if (type === messageTypes.encryptedKey) {
      clientKeys.publishCertificates(clientId, decode(encryptedKey, bytes));
      return;
    }
    if (type !== messageTypes.closeContract)
      throw new ControlError(`Cannot handle a control message of type ${type}`);
    const report = decode(contracts.closeContract, bytes);
    const outcome = book.report({
      contractId: toUuid(report.contractId),
      clientId,
      bytes: report.ackedByteCount,
      isCheckpoint: report.isCheckpoint,
    });
    const error = reportErrors[outcome];
    if (error !== undefined) throw new ControlError(error);
  }

  async function answerOne(caller: Caller, frame: Frame): Promise<readonly Frame[]> {
    if (frame.type !== messageTypes.createContract) {
      carryOut(caller, frame);
      return [];
    }
    const result = await issuer.issue(caller, decode(contracts.createContract, frame.bytes));
    return [
      toFrame(messageTypes.createContractResult, encode(contracts.createContractResult, result)),
    ];
  }

  return {
    async answer(caller, pack) {
      const frames: Frame[] = [];
      const errors: string[] = [];
      for (const frame of decodeFrames(pack)) {
        await answerOne(caller, frame).then(
          (answers) => frames.push(...answers),
          (error: unknown) => errors.push(describe(error)),
        );
      }
      return {
        pack: encodeFrames(frames),
        error: errors.length === 0 ? undefined : errors.join('; '),
      };
    },
    take(caller, frame) {
      try {
        carryOut(caller, frame);
      } catch (error) {
        describe(error);
      }
    },
  };
}

/** A frame that is refused. */
class ControlError extends Error {}

/** What a refused or unreadable frame is answered by. @throws whatever is a fault of ours */
function describe(error: unknown): string {
  if (error instanceof ControlError || error instanceof WireError) return messageOf(error);
  throw error;
}
