import type { Command } from 'commander';
import type { StreamedItem } from '../../service/operations.ts';
import type { ProvideMode } from '../../service/profiles.ts';
import type { CommandContext } from '../context.ts';
import { type ClientView, toClientView } from '../network/client-view.ts';
import { formatAgo, formatGib, formatHours, formatUsdc, unknown } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import { addServiceCommand, type Paper } from '../service-command.ts';
import type { Session } from '../session.ts';

/** What `device list --json` prints. */
interface DevicesView {
  readonly devices: readonly DeviceView[];
}

/** A device; null where the service says nothing, and the amounts are of the last 24 hours. */
interface DeviceView {
  readonly clientId: string;
  readonly name: string | null;
  readonly isThisDevice: boolean;
  readonly provideMode: ProvideMode | null;
  readonly isConnected: boolean;
  /** The last time that it signed in, came or went; null where it never did. */
  readonly lastSeenAt: string | null;
  readonly uptimeHours: number | null;
  readonly transferGib: number | null;
  readonly payoutUsdc: number | null;
  /** The client that it is derived from, as a shared device is. */
  readonly sourceClientId: string | null;
}

type Provider = StreamedItem<'providers'>;

/** Adds `tributary device list`. */
export function registerList(group: Command, context: CommandContext): void {
  addServiceCommand<DevicesView, object>(group, context, {
    usage: 'list',
    description: "this network's devices, and what they did in the last 24 hours",
    examples: {
      'tributary device list': 'all of them; * is the one this is typed on',
      'tributary device list --json': 'the same for a script',
    },
    run: listDevices,
    render: renderDevices,
  });
}

async function listDevices(session: Session): Promise<DevicesView> {
  const ownClientId = await session.findOwnClientId();
  const providers = new Map<string | undefined, Provider>();
  for await (const provider of session.stream('providers', undefined)) providers.set(provider.clientId, provider);
  const devices: DeviceView[] = [];
  for await (const listed of session.stream('clients', undefined)) {
    const client = toClientView(listed, session.profile);
    const { clientId } = client;
    if (clientId === null) continue;
    devices.push({
      clientId,
      name: client.name,
      isThisDevice: clientId === ownClientId,
      provideMode: client.provideMode,
      ...toLastDay(client, providers.get(clientId)),
      sourceClientId: client.sourceClientId,
    });
  }
  return { devices };
}

function toLastDay(client: ClientView, provider: Provider | undefined) {
  return {
    isConnected: provider?.connected ?? client.isConnected,
    lastSeenAt: toLastSeenAt(client),
    uptimeHours: provider?.uptimeLast24h ?? null,
    transferGib: provider?.transferDataLast24h ?? null,
    payoutUsdc: provider?.payoutLast24h ?? null,
  };
}

function toLastSeenAt({ authenticatedAt, connections }: ClientView): string | null {
  const times = connections.flatMap(({ connectedAt, disconnectedAt }) => [connectedAt, disconnectedAt]);
  return [authenticatedAt, ...times].reduce((latest, time) => (toMs(time) > toMs(latest) ? time : latest), null);
}

/** Unix time in ms; 0 for no time. */
function toMs(time: string | null): number {
  return Date.parse(time ?? '') || 0;
}

function renderDevices({ devices }: DevicesView, { columns, now }: Paper): string {
  if (devices.length === 0) return 'No devices yet. Register this one: tributary run\n';
  const notes = [
    ...(devices.some(({ isThisDevice }) => isThisDevice) ? ['* this device'] : []),
    ...(devices.some(isDerived) ? ['+ derived from another client, as a device is that somebody shares with you'] : []),
    'Uptime, transfer and payout are of the last 24 hours.',
  ];
  return `${renderTable(toColumns(now), devices, columns)}\n${notes.join('\n')}\n`;
}

function toColumns(now: Date): readonly Column<DeviceView>[] {
  return [
    { title: '', read: toMark },
    { title: 'Client', read: ({ clientId }) => clientId, least: 8, isId: true },
    { title: 'Name', read: ({ name }) => name ?? unknown, least: 8 },
    { title: 'Mode', read: ({ provideMode }) => provideMode ?? unknown },
    { title: 'Seen', read: (device) => formatSeen(device, now), least: 9 },
    { title: 'Uptime', read: ({ uptimeHours }) => formatHours(uptimeHours), align: 'right', dropOrder: 2 },
    { title: 'Transfer', read: ({ transferGib }) => formatGib(transferGib), align: 'right', dropOrder: 1 },
    { title: 'Payout', read: ({ payoutUsdc }) => formatUsdc(payoutUsdc), align: 'right', dropOrder: 3 },
  ];
}

function toMark(device: DeviceView): string {
  if (device.isThisDevice) return '*';
  return isDerived(device) ? '+' : ' ';
}

function isDerived({ sourceClientId }: DeviceView): boolean {
  return sourceClientId !== null;
}

function formatSeen({ isConnected, lastSeenAt }: DeviceView, now: Date): string {
  if (isConnected) return 'now';
  return lastSeenAt === null ? 'never' : formatAgo(lastSeenAt, now);
}
