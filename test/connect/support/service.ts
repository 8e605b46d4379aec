import type { CloseContract } from '../../../src/connect/wire/contract-messages.ts';
import type { Id, IdSource } from '../../../src/connect/wire/id.ts';
import { makeContract } from './contracts.ts';

/**
 * The platform's contracts in virtual time, as strict as the real one was seen to be: a companion
 * needs an origin, contracts are closed by force at five minutes in two passes, and only what was
 * reported by then is paid.
 */
export interface Service {
  publish(client: Id, secrets: ReadonlyMap<number, Buffer>): void;
  /** Undefined where it is refused. */
  grant(of: Request, now: number): Granted | undefined;
  /** @returns false where the contract was closed before. */
  report(by: Id, close: CloseContract, now: number): boolean;
  /** Whether a frame is passed on; most frames without it vanish without a word. */
  mayForward(from: Id, to: Id, now: number): boolean;
  /** Closes by force what is due. */
  step(now: number): void;
  all(): readonly ServiceContract[];
  /** Contracts of which more was reported than they were made for. */
  overPaid(): readonly ServiceContract[];
}

interface Request {
  readonly from: Id;
  readonly to: Id;
  readonly byteCount: number;
  readonly isCompanion: boolean;
}

interface Granted {
  readonly contractId: Id;
  readonly contract: Buffer;
  readonly byteCount: number;
}

interface ServiceContract extends Request {
  readonly contractId: Id;
  readonly createdAt: number;
  readonly sides: Map<Id, Side>;
  closedAt: number | undefined;
  paid: number;
}

interface Side {
  bytes: number;
  isFinal: boolean;
}

const mebibyte = 1024 * 1024;
const passEvery = 60_000;
const forceAge = 300_000;
const originLasts = 300_000;
const forwardLasts = 15 * 60_000;

export function createService(ids: IdSource): Service {
  const secrets = new Map<Id, ReadonlyMap<number, Buffer>>();
  const contracts = new Map<Id, ServiceContract>();
  const forwards = new Map<string, number>();
  let passedAt = Number.NEGATIVE_INFINITY;

  const between = (from: Id, to: Id) =>
    [...contracts.values()].filter((one) => one.from === from && one.to === to);
  const settle = (one: ServiceContract, now: number): void => {
    const counts = [...one.sides.values()].map(({ bytes }) => bytes);
    one.closedAt = now;
    // A contract that carried more than it was made for pays nothing.
    if (counts.some((bytes) => bytes > one.byteCount)) return;
    one.paid = counts.length === 0 ? 0 : counts.reduce((a, b) => a + b, 0) / counts.length;
  };
  const force = (one: ServiceContract, now: number): void => {
    const [side, other] = [...one.sides.values()];
    if (side === undefined) settle(one, now);
    else if (other === undefined) {
      const missing = one.sides.has(one.from) ? one.to : one.from;
      one.sides.set(missing, { bytes: side.bytes, isFinal: true });
      if (side.isFinal) settle(one, now);
    } else settle(one, now);
  };

  return {
    publish(client, of) {
      secrets.set(client, of);
    },
    grant({ from, to, byteCount: asked, isCompanion }, now) {
      const isOrigin = ({ closedAt }: ServiceContract) =>
        closedAt === undefined || now - closedAt < originLasts;
      if (isCompanion && !between(to, from).some(isOrigin)) return undefined;
      const mode = isCompanion ? 4 : 3;
      const secret = secrets.get(to)?.get(mode);
      if (secret === undefined) return undefined;
      const byteCount = Math.min(256 * mebibyte, Math.max(mebibyte, asked));
      const contractId = ids.next(now);
      contracts.set(contractId, {
        contractId,
        from,
        to,
        byteCount,
        isCompanion,
        createdAt: now,
        sides: new Map(),
        closedAt: undefined,
        paid: 0,
      });
      const of = { contractId, sourceId: from, destinationId: to, byteCount, secret, mode };
      return { contractId, byteCount, contract: makeContract(of) };
    },
    report(by, { contractId, ackedByteCount, isCheckpoint }, now) {
      const one = contracts.get(contractId);
      if (one === undefined || (by !== one.from && by !== one.to))
        throw new Error('a report of a contract that is not one’s own');
      const side = one.sides.get(by) ?? { bytes: 0, isFinal: false };
      if (one.closedAt !== undefined || side.isFinal) return false;
      one.sides.set(by, { bytes: side.bytes + ackedByteCount, isFinal: !isCheckpoint });
      const isBoth = [one.from, one.to].every((id) => one.sides.get(id)?.isFinal);
      if (isBoth) settle(one, now);
      return true;
    },
    mayForward(from, to, now) {
      const key = from + to;
      const usedAt = forwards.get(key);
      const isOpen = usedAt !== undefined && now - usedAt < forwardLasts;
      const isClean = (one: ServiceContract) => one.closedAt === undefined && one.sides.size === 0;
      if (!isOpen && ![...between(from, to), ...between(to, from)].some(isClean)) return false;
      forwards.set(key, now);
      return true;
    },
    step(now) {
      if (now - passedAt < passEvery) return;
      passedAt = now;
      for (const one of contracts.values())
        if (one.closedAt === undefined && now - one.createdAt >= forceAge) force(one, now);
    },
    all: () => [...contracts.values()],
    overPaid: () =>
      [...contracts.values()].filter(({ sides, byteCount }) =>
        [...sides.values()].some(({ bytes }) => bytes > byteCount),
      ),
  };
}
