import type { AccountData, Books } from '../contract/account.ts';
import { closedByServiceAge } from '../contract/ages.ts';
import type { AddressPoolOptions } from '../packet/address-pool.ts';
import { parseAddress } from '../packet/parse-address.ts';
import type { StartMessage } from './messages.ts';

/** Whole ms: Unix time at the start of the process, and on from there without ever going back. */
export function readClock(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}

/**
 * Books of an earlier life, as this one's clock sees them: where it was set back, what was made in
 * its future would never grow old.
 */
export function toPast(books: Books, now: number): Books {
  const toEarlier = (account: AccountData): AccountData => {
    const createdAt = Math.min(account.createdAt, now);
    return { ...account, createdAt, bridged: account.bridged ?? guessBridged(account, now) };
  };
  const consumers = (books.consumers ?? []).map((consumer) => ({
    ...consumer,
    heardAt: Math.min(consumer.heardAt, now),
  }));
  const [received, own] = [books.received.map(toEarlier), books.own.map(toEarlier)];
  return { received, own, consumers, finished: books.finished };
}

/**
 * What came late by the books of an earlier version, which does not say it: all that is unreported
 * of a contract that the service has closed, so that no more of it is reported than is no dispute.
 */
function guessBridged({ createdAt, counted, reported }: AccountData, now: number): number {
  return now - createdAt < closedByServiceAge ? 0 : Math.max(0, counted - reported);
}

export function toPool({ ipv4, ipv6 }: StartMessage['pool']): AddressPoolOptions {
  return {
    ipv4: { first: parseAddress(ipv4.first), count: ipv4.count },
    ipv6: { first: parseAddress(ipv6.first), count: ipv6.count },
  };
}
