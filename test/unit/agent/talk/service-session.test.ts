import { rm } from 'node:fs/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSections } from '../../../../src/agent/create-sections.ts';
import { createServiceSession } from '../../../../src/agent/talk/service-session.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { TributaryError } from '../../../../src/errors/codes.ts';
import { emptyNetworkJwtState } from '../../../../src/identity/registration-files.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import { dayMs, hourMs } from '../../../../src/lib/units.ts';
import {
  type Answers,
  clientId,
  createDisk,
  createFakeClient,
  identity,
  marker,
  registration,
} from '../../identity/fake-service.ts';

const owners = new Secret('owner.network.jwt');
const own = 'own.client.jwt';
const row = (id: string, mark = marker) => ({ client_id: id, device_spec: `pi ${mark}` });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

type Call = (name: string, request: unknown, options: object) => Promise<object>;

/** As the real client, which leaves out the rows of a list that its caller does not want. */
const keepRows =
  (call: unknown): Call =>
  async (name, request, options) => {
    const answer = await (call as Call)(name, request, options);
    const { keep = () => true } = options as { readonly keep?: (row: object) => boolean };
    return 'clients' in answer
      ? { ...answer, clients: (answer.clients as readonly object[]).filter(keep) }
      : answer;
  };

/** A registered device right after a sign-in, which talks with a service of these answers. */
async function start(answers: Answers) {
  const { directory, files, store } = await createDisk();
  await store.write({ ...emptyNetworkJwtState, token: owners });
  const service = createFakeClient({ authClient: [{ by_client_jwt: own }], ...answers });
  const sections = createSections(
    configSchema.parse({ service: { base_url: 'https://service.example' } }),
    new Date(),
  );
  sections.service.registration = registration;
  const notices: unknown[] = [];
  const issued: (string | undefined)[] = [];
  const session = createServiceSession({
    client: { call: keepRows(service.client.call) } as never,
    state: sections as never,
    facts: () => ({ sources: [] }) as never,
    credentials: {} as never,
    machine: {},
    directory,
    onSetAside: () => undefined,
    log: {
      info: () => undefined,
      warn: ({ notice }: { readonly notice: string }) => void notices.push(notice),
    } as never,
    now: () => new Date(),
    onIssued: ({ clientJwt }) => void issued.push(clientJwt.reveal()),
  });
  /** One renewal, as the loop does it; resolves with what it asked by, question by question. */
  const renew = async (signal = new AbortController().signal) => {
    const before = service.seen.length;
    const token = await session.signIn(signal);
    sections.service.token = token;
    const known = sections.service.registration ?? registration;
    sections.service.registration = await session.renew(token, known, signal);
    return service.seen.slice(before).map(({ name, token: by }) => `${name} by ${by}`);
  };
  return { ...service, files, store, sections, session, notices, issued, renew };
}

describe('what the device asks by', () => {
  test('is its own token after one renewal by its owner’s, which leaves the disk an hour later', async () => {
    const { renew, store } = await start({ clients: [{ clients: [] }] });
    expect(await renew()).toEqual([
      'authClient by owner.network.jwt',
      'clients by owner.network.jwt',
    ]);
    // What counts is how long the device has asked by its own, and not how long it has run.
    vi.advanceTimersByTime(2 * hourMs);
    expect(await renew()).toEqual([`authClient by ${own}`]);
    for (const [passedMs, kept] of [
      [0, owners],
      [hourMs - 1, owners],
      [1, undefined],
      [dayMs, undefined],
    ] as const) {
      vi.advanceTimersByTime(passedMs);
      expect(await renew()).toEqual([`authClient by ${own}`]);
      expect(await store.peek()).toMatchObject({ holder: 'device', token: new Secret(own) });
      expect([passedMs, (await store.peek())?.ownerToken?.reveal()]).toEqual([
        passedMs,
        kept?.reveal(),
      ]);
    }
  });

  test('is given to those who use it whatever it was renewed by, before anything else is done', async () => {
    const { renew, issued } = await start({ clients: [{ clients: [] }] });
    for (const _ of [1, 2, 3]) await renew();
    expect(issued).toEqual([own, own, own]);
  });

  test('is in the registration where the sign-in is lost, also one that no start has read', async () => {
    const { files, store, sections, session } = await start({});
    const { signal } = new AbortController();
    await files.registration.write(registration);
    await rm(store.path);
    expect((await session.signIn(signal)).reveal()).toBe(registration.clientJwt.reveal());
    sections.service.registration = undefined;
    expect((await session.signIn(signal)).reveal()).toBe(registration.clientJwt.reveal());
    await files.registration.write({ ...registration, installId: '00000000000000bb' });
    await files.identity.write(identity);
    await expect(session.signIn(signal)).rejects.toMatchObject({ code: 'signed-out' });
  });

  test.each([
    ['and lists the device', [row(clientId)]],
    ['and lists nothing', []],
  ])(
    'stays its owner’s where the service refuses its own %s, which is tried once a day',
    async (_, rows) => {
      vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
      vi.setTimerTickMode('nextTimerAsync');
      const refusal = new TributaryError('service-refused', 'no');
      const fine = { by_client_jwt: own };
      const { renew, store } = await start({
        authClient: [fine, refusal, fine],
        clients: [{ clients: rows }],
      });
      const byOwners = 'authClient by owner.network.jwt';
      expect(await renew()).toEqual([byOwners, 'clients by owner.network.jwt']);
      const asked = await renew();
      expect([asked[0], asked.at(-1)]).toEqual([`authClient by ${own}`, byOwners]);
      expect(await renew()).toEqual([byOwners]);
      expect((await store.peek())?.token?.reveal()).toBe(owners.reveal());
      vi.advanceTimersByTime(dayMs);
      expect(await renew()).toEqual([`authClient by ${own}`]);
      expect((await store.peek())?.token?.reveal()).toBe(own);
    },
  );
});

describe('a second client with the marker of this installation', () => {
  test('is kept with the registration from each sign-in on, until a later one does not find it', async () => {
    const stranger = row('stranger', '[tributary:00000000000000bb]');
    const { renew, sections, files, store } = await start({
      clients: [
        { clients: [row(clientId), stranger, row('second'), row('third')] },
        { clients: [row(clientId)] },
      ],
    });
    const kept = async () => (await files.registration.peek())?.otherClientIds;
    for (let times = 0; times < 3; times += 1) {
      await renew();
      const { otherClientIds } = sections.service.registration ?? {};
      expect(otherClientIds).toEqual(['second', 'third']);
      expect(await kept()).toEqual(['second', 'third']);
    }
    await store.write({ ...emptyNetworkJwtState, token: new Secret('another.sign.in') });
    await renew();
    expect(sections.service.registration?.otherClientIds).toBeUndefined();
    expect(await kept()).toBeUndefined();
  });

  test.each<[string, object | Error]>([
    ['has this client alone', { clients: [row(clientId)] }],
    ['cannot be read', new TributaryError('service-failed', 'broken')],
  ])('is not told where the list %s, and the renewal holds', async (_, list) => {
    const { renew, sections } = await start({ clients: [list] });
    for (let times = 0; times < 3; times += 1) await renew();
    expect(sections.service.registration?.otherClientIds).toBeUndefined();
  });
});
