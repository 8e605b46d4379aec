import type { OperationResponse } from '../../service/operations.ts';
import type { ServiceCommand } from '../command.ts';
import { formatHours } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import { joinSections } from '../present/text.ts';
import type { Session } from '../session.ts';

type AssociationsView = Awaited<ReturnType<typeof listAssociations>>;
type SharedView = ReturnType<typeof viewShared>;

/** `tributary device associations`. */
export const associations: ServiceCommand<AssociationsView> = {
  usage: 'associations',
  description: 'devices that wait to be handed over, that others share with you, and that you share',
  examples: {
    'tributary device associations': 'all three lists',
    'tributary device associations --json': 'the same for a script',
  },
  run: listAssociations,
  async render(view, terminal) {
    const titled = (title: string, table: string) => (table === '' ? '' : `${title}\n\n${table}`);
    const sections = joinSections([
      titled('Waiting for adoption', await renderTable(adoptionColumns, view.pendingAdoptionDevices, terminal)),
      titled('Shared with you', await renderTable(listSharedColumns('From'), view.incomingSharedDevices, terminal)),
      titled('Shared by you', await renderTable(listSharedColumns('With'), view.outgoingSharedDevices, terminal)),
    ]);
    return sections || 'Nothing is shared or handed over. Share a device: tributary device share this\n';
  },
};

async function listAssociations(session: Session) {
  const answer = await session.call('deviceAssociations', undefined);
  return {
    /** Devices that are handed over to the network that brings the code. */
    pendingAdoptionDevices: answer.pendingAdoptionDevices.map(({ code, deviceName, durationMinutes }) => {
      return { code, deviceName, durationMinutes };
    }),
    /** Devices of other networks. */
    incomingSharedDevices: answer.incomingSharedDevices.map(viewShared),
    /** Devices of this network that others may use. */
    outgoingSharedDevices: answer.outgoingSharedDevices.map(viewShared),
  };
}

/** A shared device: pending until the other network, which is named, has added it. */
function viewShared(shared: OperationResponse<'deviceAssociations'>['incomingSharedDevices'][number]) {
  const { pending, code, deviceName, clientId, networkName } = shared;
  return { isPending: pending, code, deviceName, clientId, networkName };
}

const adoptionColumns: readonly Column<AssociationsView['pendingAdoptionDevices'][number]>[] = [
  { title: 'Code', read: ({ code }) => code, least: 12 },
  { title: 'Device', read: ({ deviceName }) => deviceName, least: 8 },
  { title: 'Good for', read: ({ durationMinutes: minutes }) => formatHours(minutes && minutes / 60), align: 'right' },
];

function listSharedColumns(party: string): readonly Column<SharedView>[] {
  return [
    { title: 'Code', read: ({ code }) => code, least: 12 },
    { title: 'Device', read: ({ deviceName }) => deviceName, least: 8 },
    { title: party, read: ({ networkName }) => networkName, least: 8 },
    {
      title: 'State',
      read: ({ isPending }) => (isPending === undefined ? undefined : isPending ? 'pending' : 'added'),
    },
    { title: 'Client', read: ({ clientId }) => clientId, least: 8, isId: true },
  ];
}
