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
  /** The client does not come back. */
  forgetClient(client: Id): void;
  /** Undefined where it is refused. */
  grant(of: Request, now: number): Granted | undefined;
  /** @returns false where the contract was closed before. */
  report(by: Id, close: CloseContract, now: number): boolean;
  /** Whether a frame is passed on; most frames without it vanish without a word. */
  mayForward(from: Id, to: Id, now: number): boolean;
  /** The consumer's end of a contract: what it was acknowledged, or got. */
  noteCarried(contractId: Id, bytes: number): void;
  /** What its consumer had sent without an ack when it left: the provider may have got it. */
  noteUnderWay(contractId: Id, bytes: number): void;
  /** Closes by force what is due. */
  step(now: number): void;
  all(): readonly ServiceContract[];
  /** Forgets what was closed before that time, and gives it back. */
  forget(before: number): readonly ServiceContract[];
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
  carried: number;
  underWay: number;
  /** Whatever was reported by its provider, also late. */
  told: number;
  /** Its provider has closed it. */
  isToldWhole: boolean;
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

  /** By source and destination. */
  const pairs = new Map<string, ServiceContract[]>();
  const between = (from: Id, to: Id) => pairs.get(from + to) ?? [];
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

  /** A close that is sent again is ignored, also where the contract was closed by force. */
  const noteTold = (one: ServiceContract, close: CloseContract): void => {
    if (one.isToldWhole) return;
    one.told += close.ackedByteCount;
    one.isToldWhole = !close.isCheckpoint;
  };

  return {
    publish(client, of) {
      secrets.set(client, of);
    },
    forgetClient(client) {
      secrets.delete(client);
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
      const made: ServiceContract = {
        contractId,
        from,
        to,
        byteCount,
        isCompanion,
        createdAt: now,
        sides: new Map(),
        closedAt: undefined,
        paid: 0,
        carried: 0,
        underWay: 0,
        told: 0,
        isToldWhole: false,
      };
      contracts.set(contractId, made);
      pairs.set(from + to, [...between(from, to), made]);
      const of = { contractId, sourceId: from, destinationId: to, byteCount, secret, mode };
      return { contractId, byteCount, contract: makeContract(of) };
    },
    report(by, close, now) {
      const { contractId, ackedByteCount, isCheckpoint } = close;
      const one = contracts.get(contractId);
      if (one === undefined || (by !== one.from && by !== one.to))
        throw new Error('a report of a contract that is not one’s own');
      if (by === (one.isCompanion ? one.from : one.to)) noteTold(one, close);
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
    noteCarried(contractId, bytes) {
      const one = contracts.get(contractId);
      if (one !== undefined) one.carried += bytes;
    },
    noteUnderWay(contractId, bytes) {
      const one = contracts.get(contractId);
      if (one !== undefined) one.underWay += bytes;
    },
    step(now) {
      if (now - passedAt < passEvery) return;
      passedAt = now;
      for (const one of contracts.values())
        if (one.closedAt === undefined && now - one.createdAt >= forceAge) force(one, now);
    },
    all: () => [...contracts.values()],
    forget(before) {
      const old = [...contracts.values()].filter(
        ({ closedAt }) => closedAt !== undefined && closedAt < before,
      );
      for (const { contractId, from, to } of old) {
        contracts.delete(contractId);
        const left = between(from, to).filter((one) => one.contractId !== contractId);
        if (left.length === 0) pairs.delete(from + to);
        else pairs.set(from + to, left);
      }
      for (const [key, usedAt] of forwards) if (usedAt < before) forwards.delete(key);
      return old;
    },
    overPaid: () =>
      [...contracts.values()].filter(({ sides, byteCount }) =>
        [...sides.values()].some(({ bytes }) => bytes > byteCount),
      ),
  };
}
