import { describe, expect, test } from 'vitest';
import { chooseClient, toNamedClient } from '../../../../src/cli/commands/choose-client.ts';
import type { Session } from '../../../../src/cli/frame/session.ts';
import type { StreamedItem } from '../../../../src/service/operations.ts';

type ListedClient = StreamedItem<'clients'>;

function listed(change: Partial<ListedClient>): ListedClient {
  const empty = {
    sourceClientId: undefined,
    deviceId: undefined,
    networkId: undefined,
    description: undefined,
    deviceName: undefined,
    deviceSpec: undefined,
    createTime: undefined,
    authTime: undefined,
    provideMode: undefined,
    proxyClient: undefined,
    resident: undefined,
  };
  return { ...empty, clientId: undefined, connections: [], ...change };
}

const network = [
  listed({}),
  listed({ clientId: 'aaaa-1', deviceName: 'Attic', description: 'not this' }),
  listed({ clientId: 'aaaa-2', description: 'shed' }),
  listed({ clientId: 'bbbb-1', deviceName: 'shed' }),
  listed({ clientId: 'bbbb-11', deviceName: '' }),
  listed({ clientId: 'cccc-1', deviceName: 'aaaa-1' }),
];

/** A network of these clients, seen from the device that is `own` among them. */
function seenFrom(
  own: string | undefined,
  clients = network,
): Pick<Session, 'findOwnClientId' | 'stream'> {
  return {
    findOwnClientId: async () => own,
    async *stream(name) {
      // Every other list is empty here.
      if (name === 'clients') yield* clients as never[];
    },
  };
}

const choose = (text: string, own?: string) => chooseClient(seenFrom(own), text);

describe('a client is named', () => {
  test.each([
    ['by its id', 'aaaa-2', 'aaaa-2'],
    ['by its id, also where another begins with it', 'bbbb-1', 'bbbb-1'],
    ['by its id rather than as another is called', 'aaaa-1', 'aaaa-1'],
    ['by the start of its id', 'c', 'cccc-1'],
    ['without regard to case', 'CCCC', 'cccc-1'],
    ['by what it is called', 'attic', 'aaaa-1'],
    ['by the start of what it is called', 'att', 'aaaa-1'],
  ])('%s', async (_, text, clientId) => {
    expect(await choose(text)).toMatchObject({ clientId });
  });

  test('as this device', async () => {
    expect(await choose('this', 'aaaa-2')).toEqual({ clientId: 'aaaa-2', name: 'shed' });
  });

  test.each([
    ['nobody', 'no device is called nobody', 'See your devices: tributary device list'],
    ['', 'no device is called ', 'See your devices: tributary device list'],
    [
      'this',
      'this device is not registered yet',
      'To register it: sudo systemctl start tributary. To see the others: tributary device list',
    ],
    [
      'atitc',
      'no device is called atitc; did you mean Attic?',
      'See your devices: tributary device list',
    ],
    [
      'sh',
      'sh matches several devices: aaaa-2 (shed), bbbb-1 (shed)',
      'Type more of the name or id.',
    ],
    [
      'shed',
      'shed matches several devices: aaaa-2 (shed), bbbb-1 (shed)',
      'Type more of the name or id.',
    ],
    [
      'bbbb',
      'bbbb matches several devices: bbbb-1 (shed), bbbb-11 (no name)',
      'Type more of the name or id.',
    ],
  ])('ambiguously by %j, which is refused', async (text, message, action) => {
    await expect(choose(text)).rejects.toMatchObject({ code: 'usage-invalid', message, action });
  });

  test('by what one line shows, whatever the other devices are called', async () => {
    const twins = ['a\n  > rm -rf /', 'a\n  > rm -rf /'].map((deviceName, index) =>
      listed({ clientId: `id-${index}`, deviceName }),
    );
    const message = 'id matches several devices: id-0 (a   > rm -rf /), id-1 (a   > rm -rf /)';
    await expect(chooseClient(seenFrom(undefined, twins), 'id')).rejects.toMatchObject({ message });
  });

  test('among many only as far as a line holds', async () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      listed({ clientId: `id-${index}`, deviceName: 'same' }),
    );
    const chosen = chooseClient(seenFrom(undefined, many), 'same');
    await expect(chosen).rejects.toMatchObject({
      message: expect.stringMatching(/id-4 \(same\) and 295 more$/),
    });
  });
});

test.each([
  [{ clientId: 'a', deviceName: 'attic', description: 'shed' }, 'attic'],
  [{ clientId: 'a', deviceName: '', description: 'shed' }, 'shed'],
  [{ clientId: 'a' }, ''],
])('%j is called %j', (client, name) => {
  expect(toNamedClient(listed(client))).toEqual({ clientId: 'a', name });
});
