import type { DataPath } from '../../data-path/reconcile.ts';
import type { Router } from '../../system/routers.ts';

/** What of a pass says by which way this machine gets to the Internet. */
export type FoundWay = Pick<DataPath, 'uplink' | 'router' | 'routers'>;

/**
 * The way to the Internet as a text to compare: another network has another router. A router that
 * is replaced at the same address is another one too, and knows nothing of the connections of the
 * former. What is not known for a moment is no change: the kernel asks for a router's hardware
 * address again and again, and IPv6 comes later than IPv4.
 */
export function createPresentWay(): (found: FoundWay | undefined) => string | undefined {
  const known = new Map<string, Router>();
  let changes = 0;
  const take = (router: Router): void => {
    const place = `${router.interface} ${toFamily(router)}`;
    const before = known.get(place);
    if (before !== undefined && isOther(before, router)) changes += 1;
    const isSame = before?.address === router.address;
    const hardwareAddress =
      router.hardwareAddress ?? (isSame ? before?.hardwareAddress : undefined);
    known.set(place, { ...router, hardwareAddress });
  };
  return (found) => {
    if (found?.uplink === undefined) return undefined;
    for (const family of [4, 6]) {
      // Of several, the kernel prefers the first.
      const first = found.routers.find((router) => toFamily(router) === family);
      if (first !== undefined) take(first);
    }
    return [found.uplink, found.router ?? 'no router', changes].join(' ');
  };
}

function toFamily({ address }: Router): 4 | 6 {
  return address.includes(':') ? 6 : 4;
}

function isOther(before: Router, now: Router): boolean {
  if (before.address !== now.address) return true;
  const both = [before.hardwareAddress, now.hardwareAddress];
  return !both.includes(undefined) && both[0] !== both[1];
}
