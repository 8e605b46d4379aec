import type { AccountData, Books } from '../contract/account.ts';
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
  const toEarlier = (account: AccountData): AccountData => ({
    ...account,
    createdAt: Math.min(account.createdAt, now),
  });
  const consumers = (books.consumers ?? []).map((consumer) => ({
    ...consumer,
    heardAt: Math.min(consumer.heardAt, now),
  }));
  return { received: books.received.map(toEarlier), own: books.own.map(toEarlier), consumers };
}

export function toPool({ ipv4, ipv6 }: StartMessage['pool']): AddressPoolOptions {
  return {
    ipv4: { first: parseAddress(ipv4.first), count: ipv4.count },
    ipv6: { first: parseAddress(ipv6.first), count: ipv6.count },
  };
}
