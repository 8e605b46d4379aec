import { readPeerKey } from '../contract/read-granted.ts';
import type { Id } from '../wire/id.ts';

/**
 * The public keys of consumers that offer to seal. The platform says them in each contract and to
 * anyone who asks. A consumer that was started again has another key, so none counts while the two
 * differ, and what was known before is forgotten then.
 */
export interface PeerKeys {
  /** This consumer offers to seal. */
  want(id: Id): void;
  /** It may have been started again. */
  restarted(id: Id): void;
  /** A contract to it, as encoded. */
  granted(id: Id, contract: Buffer): void;
  /** The platform's answer: undefined where it knows no key, or gave none. */
  found(ask: KeyAsk, key: Buffer | undefined): void;
  /** What to ask now: at once, and each second while the platform says two keys. */
  takeAsks(now: number): readonly KeyAsk[];
  forget(id: Id): void;
}

/** The public key of this consumer is to be asked for. */
export interface KeyAsk {
  readonly peerId: Id;
  /** The answer to an earlier ask may be older than the consumer's last start. */
  readonly number: number;
}

const askEvery = 1000;

interface Known {
  /** By the newest contract that says one. */
  granted: ReturnType<typeof readPeerKey>;
  found: Buffer | undefined;
  state: 'to-ask' | 'asked' | 'answered';
  number: number;
  askAt: number;
}

/** `tell` is called with the key that counts now; with undefined while none does. */
export function createPeerKeys(tell: (id: Id, key: Buffer | undefined) => void): PeerKeys {
  const known = new Map<Id, Known>();
  let asks = 0;
  const begin = (id: Id): void => {
    known.set(id, {
      granted: undefined,
      found: undefined,
      state: 'to-ask',
      number: 0,
      // One that is started again and again does not have us ask more often.
      askAt: known.get(id)?.askAt ?? Number.NEGATIVE_INFINITY,
    });
    tell(id, undefined);
  };
  const look = (id: Id, of: Known): void => {
    if (of.state === 'answered' && isApart(of)) of.state = 'to-ask';
    // A contract alone may be older than the consumer's last start.
    tell(id, of.state === 'answered' ? (of.found ?? of.granted?.publicKey) : undefined);
  };

  return {
    want: begin,
    restarted(id) {
      if (known.has(id)) begin(id);
    },
    granted(id, contract) {
      const of = known.get(id);
      const said = of && readPeerKey(contract);
      if (of === undefined || said === undefined) return;
      if (of.granted !== undefined && of.granted.contractId > said.contractId) return;
      of.granted = said;
      look(id, of);
    },
    found({ peerId, number }, key) {
      const of = known.get(peerId);
      if (of === undefined || of.state !== 'asked' || of.number !== number) return;
      of.state = 'answered';
      of.found = key;
      look(peerId, of);
    },
    takeAsks(now) {
      const taken: KeyAsk[] = [];
      for (const [peerId, of] of known) {
        if (of.state !== 'to-ask' || now < of.askAt) continue;
        of.state = 'asked';
        of.askAt = now + askEvery;
        of.number = ++asks;
        taken.push({ peerId, number: of.number });
      }
      return taken;
    },
    forget: (id) => void known.delete(id),
  };
}

function isApart({ granted, found }: Known): boolean {
  return granted !== undefined && found !== undefined && !granted.publicKey.equals(found);
}
