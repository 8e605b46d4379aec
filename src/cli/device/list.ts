import { createRowKeeper } from '../choose-client.ts';
import { defineCommand } from '../command.ts';
import { type ClientView, viewClient } from '../network/client-view.ts';
import { formatAgo, formatGib, formatHours, formatUsdc } from '../present/amounts.ts';
import { joinLines, joinSections, renderTable } from '../present/text.ts';

export const list = defineCommand({
  usage: 'list',
  description: "this network's devices, and what they did in the last 24 hours",
  examples: {
    'tributary device list': 'all of them; * is the one this is typed on',
    'tributary device list --json': 'the same for a script',
  },
  async run(session) {
    const ownClientId = await session.findOwnClientId();
    const keep = createRowKeeper('devices');
    const served = await Array.fromAsync(session.stream('providers', undefined), keep);
    const providers = new Map(served.map((provider) => [provider.clientId, provider]));
    const listed = session.stream('clients', undefined);
    const clients = await Array.fromAsync(listed, (client) => keep(viewClient(client, session.profile)));
    const devices = clients.flatMap(({ clientId, ...client }) => {
      if (clientId === undefined) return [];
      const provider = providers.get(clientId);
      return {
        clientId,
        name: client.name,
        isThisDevice: clientId === ownClientId,
        provideMode: client.provideMode,
        isConnected: provider?.connected ?? client.isConnected,
        lastSeenAt: findLastSeenAt(client),
        uptimeHours: provider?.uptimeLast24h,
        transferGib: provider?.transferDataLast24h,
        payoutUsdc: provider?.payoutLast24h,
        sourceClientId: client.sourceClientId,
      };
    });
    return { devices };
  },
  async render({ devices }, terminal) {
    if (devices.length === 0) return 'No devices yet. Register this one: tributary run\n';
    const table = await renderTable(devices, terminal, [
      { title: '', read: (own) => (own.isThisDevice ? '*' : own.sourceClientId !== undefined ? '+' : ' ') },
      { title: 'Client', read: ({ clientId }) => clientId, least: 8, isId: true },
      { title: 'Name', read: ({ name }) => name, least: 8 },
      { title: 'Mode', read: ({ provideMode }) => provideMode },
      { title: 'Seen', read: formatSeen, least: 9 },
      { title: 'Uptime', read: ({ uptimeHours }) => formatHours(uptimeHours), align: 'right', dropOrder: 2 },
      { title: 'Transfer', read: ({ transferGib }) => formatGib(transferGib), align: 'right', dropOrder: 1 },
      { title: 'Payout', read: ({ payoutUsdc }) => formatUsdc(payoutUsdc), align: 'right', dropOrder: 3 },
    ]);
    const isAnyDerived = devices.some(({ sourceClientId }) => sourceClientId !== undefined);
    const notes = joinLines([
      devices.some(({ isThisDevice }) => isThisDevice) && '* this device',
      isAnyDerived && '+ derived from another client, such as a device that someone shares with you',
      'Uptime, transfer and payout are of the last 24 hours.',
    ]);
    return joinSections([table, notes]);
  },
});

/** The last time that it signed in, came or went; undefined where it never did. */
function findLastSeenAt({ authenticatedAt, connections }: Omit<ClientView, 'clientId'>): string | undefined {
  const times = connections.flatMap(({ connectedAt, disconnectedAt }) => [connectedAt, disconnectedAt]);
  const toMs = (time: string | undefined) => Date.parse(time ?? '') || 0;
  const [latest] = [authenticatedAt, ...times].toSorted((one, other) => toMs(other) - toMs(one));
  return toMs(latest) > 0 ? latest : undefined;
}

function formatSeen({ isConnected, lastSeenAt }: { isConnected: boolean; lastSeenAt: string | undefined }, now: Date) {
  if (isConnected) return 'now';
  return lastSeenAt === undefined ? 'never' : formatAgo(lastSeenAt, now);
}
