import type { Lab } from '../../../tools/lab/lab.ts';

/**
 * Everything on the device that the agent may change, as text to compare; what the kernel itself
 * adds late is left out.
 */
export async function takeSnapshot(lab: Lab): Promise<string> {
  const script = [
    'ip -o link show | sed "s/^[0-9]*: //"',
    'ip -o address show | grep -v "fe80:" | sed "s/^[0-9]*: //"',
    'ip rule show; ip -6 rule show',
    'ip -4 route show table all; ip -6 route show table all | grep -v -e "fe80:" -e "ff00:"',
    'nft list ruleset',
    'sysctl -a 2>/dev/null | grep -E "^net[.](ipv4|ipv6)[.](conf[.]|ip_forward)" | grep -v stable_secret',
  ].join('\n');
  return lab.network.run('device', 'sh', '-c', script);
}

/** Bytes that the gateway let through, both directions together, as the kernel counts them. */
export async function readForwarded(lab: Lab): Promise<number> {
  const text = await lab.network.run('device', 'nft', 'list', 'table', 'inet', 'tributary');
  const counted = [...text.matchAll(/counter forwarded_(?:up|down) \{\s+packets \d+ bytes (\d+)/g)];
  if (counted.length !== 2) throw new Error('the gateway has no counters');
  return counted.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

/**
 * The kernel's number of the tunnel interface. An interface that was deleted and made again has
 * another number.
 */
export async function readTunnelNumber(lab: Lab, name: string): Promise<string> {
  return (await lab.network.run('device', 'cat', `/sys/class/net/${name}/ifindex`)).trim();
}

interface NftObject {
  readonly rule?: unknown;
  readonly set?: { readonly elem?: readonly unknown[] };
  readonly map?: { readonly elem?: readonly unknown[] };
}

/** Rules of every table on the device, and elements of every set and map. */
export async function countRules(
  lab: Lab,
): Promise<{ readonly rules: number; readonly elements: number }> {
  const text = await lab.network.run('device', 'nft', '-j', 'list', 'ruleset');
  const objects = (JSON.parse(text) as { readonly nftables: readonly NftObject[] }).nftables;
  return {
    rules: objects.filter(({ rule }) => rule !== undefined).length,
    elements: objects.flatMap(({ set, map }) => set?.elem ?? map?.elem ?? []).length,
  };
}
