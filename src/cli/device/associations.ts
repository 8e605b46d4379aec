import type { Command } from 'commander';
import type { OperationResponse } from '../../service/operations.ts';
import type { CommandContext } from '../context.ts';
import { formatHours, unknown } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import { addServiceCommand, type Paper } from '../service-command.ts';
import type { Session } from '../session.ts';

/** What `device associations --json` prints; null where the service says nothing. */
interface AssociationsView {
  /** Devices that are handed over to whoever brings the code. */
  readonly pendingAdoptionDevices: readonly AdoptionView[];
  /** Devices of other networks. */
  readonly incomingSharedDevices: readonly SharedView[];
  /** Devices of this network that others may use. */
  readonly outgoingSharedDevices: readonly SharedView[];
}

interface AdoptionView {
  readonly code: string | null;
  readonly deviceName: string | null;
  readonly durationMinutes: number | null;
}

interface SharedView {
  /** True until the other network has added the device. */
  readonly isPending: boolean | null;
  readonly code: string | null;
  readonly deviceName: string | null;
  readonly clientId: string | null;
  /** The other network. */
  readonly networkName: string | null;
}

/** Adds `tributary device associations`. */
export function registerAssociations(group: Command, context: CommandContext): void {
  addServiceCommand<AssociationsView, object>(group, context, {
    usage: 'associations',
    description: 'devices that wait to be handed over, that others share with you, and that you share',
    examples: {
      'tributary device associations': 'all three lists',
      'tributary device associations --json': 'the same for a script',
    },
    run: listAssociations,
    render: renderAssociations,
  });
}

async function listAssociations(session: Session): Promise<AssociationsView> {
  const answer = await session.call('deviceAssociations', undefined);
  return {
    pendingAdoptionDevices: answer.pendingAdoptionDevices.map(({ code, deviceName, durationMinutes }) => ({
      code: code ?? null,
      deviceName: deviceName ?? null,
      durationMinutes: durationMinutes ?? null,
    })),
    incomingSharedDevices: answer.incomingSharedDevices.map(toSharedView),
    outgoingSharedDevices: answer.outgoingSharedDevices.map(toSharedView),
  };
}

function toSharedView(shared: OperationResponse<'deviceAssociations'>['incomingSharedDevices'][number]): SharedView {
  return {
    isPending: shared.pending ?? null,
    code: shared.code ?? null,
    deviceName: shared.deviceName ?? null,
    clientId: shared.clientId ?? null,
    networkName: shared.networkName ?? null,
  };
}

function renderAssociations(view: AssociationsView, { columns }: Paper): string {
  const sections = [
    ['Waiting for adoption', renderTable(adoptionColumns, view.pendingAdoptionDevices, columns)],
    ['Shared with you', renderTable(toSharedColumns('From'), view.incomingSharedDevices, columns)],
    ['Shared by you', renderTable(toSharedColumns('With'), view.outgoingSharedDevices, columns)],
  ].filter(([, table]) => table !== '');
  if (sections.length === 0) return 'Nothing is shared or handed over. Share a device: tributary device share this\n';
  return sections.map(([title, table]) => `${title}\n\n${table}`).join('\n');
}

const adoptionColumns: readonly Column<AdoptionView>[] = [
  { title: 'Code', read: ({ code }) => code ?? unknown, least: 12 },
  { title: 'Device', read: ({ deviceName }) => deviceName ?? unknown, least: 8 },
  { title: 'Good for', read: ({ durationMinutes }) => formatMinutes(durationMinutes), align: 'right' },
];

function toSharedColumns(party: string): readonly Column<SharedView>[] {
  return [
    { title: 'Code', read: ({ code }) => code ?? unknown, least: 12 },
    { title: 'Device', read: ({ deviceName }) => deviceName ?? unknown, least: 8 },
    { title: party, read: ({ networkName }) => networkName ?? unknown, least: 8 },
    { title: 'State', read: formatState },
    { title: 'Client', read: ({ clientId }) => clientId ?? unknown, least: 8, isId: true },
  ];
}

function formatMinutes(minutes: number | null): string {
  return formatHours(minutes === null ? null : minutes / 60);
}

function formatState({ isPending }: SharedView): string {
  if (isPending === null) return unknown;
  return isPending ? 'pending' : 'added';
}
