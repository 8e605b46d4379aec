import { attackAddresses as own, type Packet } from '../packet-data.ts';
import type { Row } from '../row.ts';

/** So long (ms) a consumer's packet may take to the device at most; a contract comes before it. */
const wayMs = 250;

/**
 * A row as it is tried by the network's own protocol: the way is longer, and who speaks to a
 * consumer from elsewhere has to use its address on the device.
 */
export function toConnectRow(row: Row, outerOf: ReadonlyMap<string, string>): Row {
  const steps = row.steps.map(({ from, packets, waitMs }) => ({
    from,
    packets: translate(packets, from === 'tunnel' ? ownAddress : outerOf),
    ...(waitMs === undefined ? {} : { waitMs: Math.max(waitMs, wayMs) }),
  }));
  const kept = reasons.find(({ names }) => names.test(row.name))?.reason;
  return { ...row, steps, ...(kept === undefined ? {} : { keptByEngine: kept }) };
}

/** What the rows call the tunnel's own address is the device's, the first of the pool. */
const ownAddress: ReadonlyMap<string, string> = new Map([[own.tunnel6, 'fd99::1']]);

function translate(
  packets: readonly Packet[],
  addresses: ReadonlyMap<string, string>,
): readonly Packet[] {
  return JSON.parse(JSON.stringify(packets), (_, value) => addresses.get(value) ?? value);
}

/**
 * Whatever source a consumer claims, its packet leaves as any of its own: to the Internet, and to
 * nobody at home.
 */
export function translatedSources(row: Row): Row {
  return {
    ...row,
    never: ['nas', 'device', 'host'],
    keptByEngine: "each source that a consumer claims becomes one of the pool's addresses",
  };
}

/** What never meets a rule on this way, by the names of rows. */
const reasons: readonly { readonly names: RegExp; readonly reason: string }[] = [
  {
    names: /^a header that is cut short$/,
    reason: 'a transport header that is not whole is no sound packet',
  },
  {
    names: /^port 25 behind eight options$/,
    reason: 'a chain of more than six headers is no sound packet',
  },
  {
    names: /^port 25 cut through the middle of its header$/,
    reason: 'the first fragment has to hold the transport header',
  },
  {
    names: /^an error (to |\()/,
    reason: 'they come from more sources than the sixteen addresses that a consumer may have',
  },
  {
    names: /^an assistant's words open a port of the NAS$/,
    reason: "no address but the pool's leads to the engine, with or without rules",
  },
];
