import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TributaryError } from '../../src/errors/codes.ts';
import type { RegistrationDependencies } from '../../src/identity/authenticate.ts';
import { startNewDevice } from '../../src/identity/load.ts';
import { ensureRegistration } from '../../src/identity/registration.ts';
import {
  createRegistrationFiles,
  type Registration,
} from '../../src/identity/registration-files.ts';
import { renew as askAgain } from '../../src/identity/renew.ts';
import { Secret } from '../../src/lib/secret.ts';
import { createServiceClient, type ServiceClient } from '../../src/service/client.ts';
import type { StateFile } from '../../src/system/state-file.ts';
import { type ModelOptions, makeJwt, type Row, startModelService } from './model-service.ts';
import {
  type Behaviour,
  reset,
  type SeenRequest,
  sendHtml,
  sendJson,
  sendText,
  stall,
  truncate,
} from './nasty-service.ts';

const desired = {
  description: 'shed',
  spec: 'tributary/1 linux',
  wantsTunnel: true,
  proxy: {},
};
const networkJwt = new Secret(makeJwt({ network_id: 'n' }));
const authClientPath = '/network/auth-client';
const isCreate = (request: SeenRequest) =>
  request.path === authClientPath && request.body.client_id === undefined;

async function start(options: ModelOptions = {}) {
  const model = await startModelService(options);
  const directory = await mkdtemp(join(tmpdir(), 'tributary-registration-'));
  const fetchLimits = { headersMs: 200, bodyMs: 200 };
  const client = createServiceClient({
    baseUrl: model.baseUrl,
    allowInsecureHttp: false,
    fetchLimits,
    random: () => 0,
  });
  const notices: string[] = [];
  const setAside: string[] = [];
  onTestFinished(async () => {
    await client.close();
    await model[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  /** What a fresh process would have; state is only what the directory holds. */
  const boot = (wish = desired): RegistrationDependencies => ({
    client,
    files: createRegistrationFiles(directory, (path) => setAside.push(path)),
    token: networkJwt,
    desired: wish,
    settleMs: 20,
    onNotice: (notice) => notices.push(notice),
  });
  const ensure = (wish = desired) => ensureRegistration(boot(wish), new AbortController().signal);
  const path = (name: string) => join(directory, `${name}.json`);
  return { model, client, directory, boot, ensure, notices, setAside, path };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TributaryError);
  return (error as TributaryError).code;
}

describe.each(['documented', 'production'] as const)('a registration (%s)', (profile) => {
  it('is made once, and then read from the disk without asking anyone', async () => {
    const { model, ensure } = await start({ profile });
    const first = await ensure();
    expect(first.clientId).toBe(model.rows[0]?.client_id);
    expect(first.tunnel?.text.reveal()).toContain('private-1');
    expect(first.renewSeconds).toBe(profile === 'production' ? 0 : 45.5);
    const asked = model.service.seen.length;
    const second = await ensure();
    expect(second.clientId).toBe(first.clientId);
    expect(second.clientJwt.equals(first.clientJwt)).toBe(true);
    expect(second.tunnel?.privateKey?.reveal()).toBe('private-1');
    expect(model.service.seen).toHaveLength(asked);
  });

  it.each([['registration'], ['identity'], ['pending-create']])(
    'whose %s file is lost, or broken, is recovered',
    async (name) => {
      const { model, ensure, path, setAside } = await start({ profile });
      const { clientId } = await ensure();
      await rm(path(name));
      expect(await ensure()).toMatchObject({ clientId });
      await writeFile(path(name), '{"version": 1, "sha256": "0", "data": {}}');
      const recovered = await ensure();
      expect(recovered.clientId).toBe(clientId);
      expect(recovered.tunnel?.text.reveal()).toContain('private-1');
      expect(setAside).toEqual([path(name)]);
      expect(model.creates()).toBe(1);
    },
  );

  it('whose files are all broken is taken up again from its marker', async () => {
    const { model, ensure, path, setAside } = await start({ profile });
    const { clientId, installId } = await ensure();
    for (const name of ['registration', 'identity', 'pending-create'])
      await writeFile(path(name), 'garbage');
    expect(await ensure()).toMatchObject({ clientId, installId });
    expect(setAside).toHaveLength(3);
    const asked = model.service.seen.length;
    expect(await ensure()).toMatchObject({ clientId, installId });
    expect(model.service.seen).toHaveLength(asked);
    expect(model.creates()).toBe(1);
  });

  const lost: readonly (readonly [string, Behaviour])[] = [
    ['is reset', reset],
    ['never comes', stall],
    ['breaks off', truncate],
    ['is a page of HTML', sendHtml(200)],
    ['is a 500', sendText('Error.', 500)],
    ['is a 503', sendText('down', 503)],
    ['redirects', sendText('', 302, { location: 'https://portal.example/' })],
    ['is of another shape', sendJson({ by_client_jwt: 7 })],
    ['says nothing', sendJson({})],
  ];

  it.each(lost)(
    'whose answer %s after the client was made is not made again',
    async (_, behaviour) => {
      const after = (request: SeenRequest, turn: number) =>
        isCreate(request) && turn === 1 ? behaviour : undefined;
      const { model, ensure } = await start({ profile, after });
      await codeOf(ensure());
      const registration = await ensure();
      expect(registration.clientId).toBe(model.rows[0]?.client_id);
      expect(registration.tunnel?.text.reveal()).toContain('private-1');
      expect(model.creates()).toBe(1);
      expect(model.service.seen.filter(isCreate)).toHaveLength(1);
    },
  );

  it.each(lost)(
    'whose request was lost (the answer %s) is made at the next try, once',
    async (_, behaviour) => {
      const before = (request: SeenRequest, turn: number) =>
        isCreate(request) && turn === 1 ? behaviour : undefined;
      const { model, ensure } = await start({ profile, before });
      await codeOf(ensure());
      await ensure();
      expect(model.creates()).toBe(1);
      expect(model.service.seen.filter(isCreate)).toHaveLength(2);
    },
  );

  it('ends in the same state after a crash before or after any step', async () => {
    const counts: number[] = [];
    for (const when of ['before', 'after'] as const) {
      for (let step = 1; ; step += 1) {
        const { model, boot, ensure } = await start({ profile });
        const crash = crashAt(step, when);
        const ended = await ensureRegistration(
          crash.on(boot()),
          new AbortController().signal,
        ).catch(() => 'crashed');
        const registration = await ensure();
        expect(registration, `${when} step ${step}`).toMatchObject({
          clientId: model.rows[0]?.client_id,
        });
        expect(registration.tunnel?.text.reveal()).toContain('private-1');
        expect(model.creates(), `${when} step ${step}`).toBe(1);
        if (ended !== 'crashed') {
          counts.push(step);
          break;
        }
      }
    }
    // Identity, list, pending, create, identity, registration, pending: a law over nothing would
    // prove nothing.
    expect(Math.min(...counts)).toBeGreaterThan(7);
  });

  it('without a tunnel is one client after a crash before or after any step, and gets its tunnel', async () => {
    const counts: number[] = [];
    for (const when of ['before', 'after'] as const) {
      for (let step = 1; ; step += 1) {
        const service = { issues: false };
        const { model, boot, ensure } = await start({
          profile,
          alter: (request, answer) => {
            if (service.issues) return answer;
            if (request.path === authClientPath) return { ...answer, proxy_config_result: null };
            const rows = (answer.clients ?? []) as readonly Row[];
            return { clients: rows.map((row) => ({ ...row, proxy_client: null })) };
          },
        });
        const crash = crashAt(step, when);
        const ended = await ensureRegistration(
          crash.on(boot()),
          new AbortController().signal,
        ).catch(() => 'crashed');
        const clientId = (await ensure()).clientId;
        expect(model.rows, `${when} step ${step}`).toMatchObject([{ client_id: clientId }]);
        // The way to the tunnel may be cut short at each step too.
        service.issues = true;
        for (let next = 1; next <= 4; next += 1) {
          await ensureRegistration(
            crashAt(next, when).on(boot()),
            new AbortController().signal,
          ).catch(() => undefined);
        }
        const registration = await ensure();
        expect(registration.clientId, `${when} step ${step}`).toBe(clientId);
        expect(registration.tunnel?.text.reveal()).toContain('private-1');
        expect(registration.unissued).toBeUndefined();
        expect(model.creates(), `${when} step ${step}`).toBe(1);
        if (ended !== 'crashed') {
          counts.push(step);
          break;
        }
      }
    }
    expect(Math.min(...counts)).toBeGreaterThan(7);
  });
});

describe('a lost create', () => {
  it('that shows late is found before another is sent', async () => {
    const late: Row[] = [];
    const { model, ensure } = await start({
      after: (request, turn) => (isCreate(request) && turn === 1 ? reset : undefined),
      alter: (request, answer) => {
        if (request.path !== '/network/clients') return answer;
        late.push(...model.rows);
        // The first two lists know nothing of it yet: the one before the create, and the first
        // after it.
        return model.service.count('/network/clients') <= 2 ? { clients: [] } : answer;
      },
    });
    await codeOf(ensure());
    expect(await ensure()).toMatchObject({ clientId: late[0]?.client_id });
    expect(model.creates()).toBe(1);
  });

  it('at a service that keeps no device spec is known by its description and its newness', async () => {
    const { model, ensure } = await start({
      after: (request, turn) => (isCreate(request) && turn === 1 ? reset : undefined),
      alterRow: (row) => ({ ...row, device_spec: '' }),
    });
    model.rows.push({
      client_id: 'older',
      description: 'shed',
      create_time: '2020-01-01T00:00:00Z',
    });
    model.rows.push({
      client_id: 'sibling',
      description: 'shed',
      device_spec: 'x [tributary:0123456789abcdef]',
    });
    await codeOf(ensure());
    const registration = await ensure();
    expect(['older', 'sibling']).not.toContain(registration.clientId);
    expect(model.creates()).toBe(1);
  });

  it('that left several traces takes the oldest of them', async () => {
    const { model, ensure, path } = await start();
    const { clientId, installId } = await ensure();
    const marked = { description: desired.description, device_spec: model.rows[0]?.device_spec };
    model.rows.unshift({ client_id: 'younger', create_time: '2027-01-01T00:00:00Z', ...marked });
    await rm(path('registration'));
    await writeFile(path('identity'), (await readFile(path('identity'), 'utf8')).slice(0, 20));
    await writeFile(path('pending-create'), await pendingOf(installId));
    expect(await ensure()).toMatchObject({ clientId });
    expect(model.creates()).toBe(1);
  });
});

describe('two traces of a lost create', () => {
  it('that carry no marker are left alone: one may be of another device', async () => {
    const { model, ensure } = await start({
      after: (request, turn) => (isCreate(request) && turn === 1 ? reset : undefined),
      alterRow: (row) => ({ ...row, device_spec: null }),
    });
    await codeOf(ensure());
    model.rows.push({ client_id: 'another', description: desired.description });
    expect(await codeOf(ensure())).toBe('client-lost');
    expect(model.service.count(authClientPath)).toBe(1);
  });
});

describe('an answer with a client JWT and an error', () => {
  const invalidLocation = { message: 'Invalid location', client_limit_exceeded: false };

  it('is a client: its tunnel is taken from the list', async () => {
    const { model, ensure, notices } = await start({
      profile: 'production',
      alter: (request, answer) =>
        isCreate(request)
          ? { by_client_jwt: answer.by_client_jwt, error: invalidLocation }
          : answer,
    });
    const registration = await ensure();
    expect(registration.clientId).toBe(model.rows[0]?.client_id);
    expect(registration.tunnel?.text.reveal()).toContain('private-1');
    expect(notices.join()).toContain('Invalid location');
    expect(model.creates()).toBe(1);
  });

  it('is a client also without a tunnel: it waits for one, and never registers again', async () => {
    let isFixed = false;
    const { model, ensure } = await start({
      alterRow: (row) => ({ ...row, proxy_client: null }),
      alter: (request, answer) => {
        if (request.path !== authClientPath) return answer;
        const issued = { proxy_host: 'p', wg_config: { config: '[Interface]' } };
        return {
          ...answer,
          proxy_config_result: isFixed ? issued : null,
          error: isFixed ? null : invalidLocation,
        };
      },
    });
    for (let round = 0; round < 3; round += 1) {
      expect(await ensure()).toMatchObject({
        clientId: model.rows[0]?.client_id,
        tunnel: undefined,
        unissued: { said: 'Invalid location', needsUpgrade: false },
      });
    }
    isFixed = true;
    const fixed = await ensure();
    expect(fixed.tunnel?.text.reveal()).toBe('[Interface]');
    expect(fixed.unissued).toBeUndefined();
    expect(model.creates()).toBe(1);
  });
});

describe('an accepted create that names no client', () => {
  const nameless: ModelOptions['alter'] = (request, answer) =>
    isCreate(request) ? { ...answer, by_client_jwt: 'opaque', client_id: null } : answer;

  it('is the new row of the list', async () => {
    const { model, ensure } = await start({ alter: nameless });
    expect(await ensure()).toMatchObject({ clientId: model.rows[0]?.client_id });
  });

  it('that is not listed is never sent again', async () => {
    const { model, ensure } = await start({
      alter: (request, answer) =>
        request.path === '/network/clients'
          ? { clients: [] }
          : (nameless?.(request, answer) ?? answer),
    });
    for (let round = 0; round < 3; round += 1) expect(await codeOf(ensure())).toBe('client-lost');
    expect(model.creates()).toBe(1);
  });
});

describe('a refused create', () => {
  it.each([
    [
      'client-limit-exceeded',
      sendJson({ error: { client_limit_exceeded: true, message: 'too many' } }),
    ],
    ['not-authorized', sendText('Not authorized.', 401)],
    ['not-authorized', sendJson({ error: { message: 'Not authorized.' } })],
    ['service-refused', sendJson({ error: { message: 'Later, please.', upgrade_required: true } })],
    ['rate-limited', sendHtml(429)],
    ['operation-not-served', sendText('404 page not found', 404)],
  ])(
    'has its reason (%s), leaves nothing behind, and may be sent again',
    async (code, behaviour) => {
      const before = (request: SeenRequest, turn: number) =>
        isCreate(request) && turn === 1 ? behaviour : undefined;
      const { model, ensure, path } = await start({ before });
      expect(await codeOf(ensure())).toBe(code);
      expect(await readFile(path('pending-create'), 'utf8')).not.toContain('startedAt');
      expect(model.service.count(authClientPath)).toBe(1);
      await ensure();
      expect(model.creates()).toBe(1);
    },
  );
});

describe('a client that the service lost', () => {
  it('is not replaced by a new one without its owner', async () => {
    const { model, boot, ensure, path } = await start();
    await ensure();
    model.rows.length = 0;
    await rm(path('registration'));
    expect(await codeOf(ensure())).toBe('client-lost');
    expect(model.creates()).toBe(1);
    await startNewDevice(boot().files);
    expect(await ensure()).toMatchObject({ clientId: (model.rows as Row[])[0]?.client_id });
    expect(model.creates()).toBe(2);
  });

  it('is left behind where its owner asks for a new device', async () => {
    const { model, boot, ensure } = await start();
    const { clientId } = await ensure();
    await startNewDevice(boot().files);
    const next = await ensure();
    expect(next.clientId).not.toBe(clientId);
    expect(await ensure()).toMatchObject({ clientId: next.clientId });
    expect(model.creates()).toBe(2);
  });

  it('is noticed by the renewal', async () => {
    const { model, boot, ensure } = await start();
    const registration = await ensure();
    model.rows.length = 0;
    const renewal = askAgain(boot(), registration, new AbortController().signal);
    expect(await codeOf(renewal)).toBe('client-lost');
    expect(model.creates()).toBe(1);
  });

  it('is still there when only one list leaves it out', async () => {
    const { boot, ensure } = await start({
      before: (request, turn) => {
        if (request.path === authClientPath)
          return turn === 1 ? undefined : sendJson({ error: { message: 'Busy.' } });
        return turn === 2 ? sendJson({ clients: [] }) : undefined;
      },
    });
    const registration = await ensure();
    const renewal = askAgain(boot(), registration, new AbortController().signal);
    expect(await codeOf(renewal)).toBe('service-refused');
  });

  it('from its list alone is woken by a re-authentication', async () => {
    const { model, ensure, path } = await start({
      alter: (request, answer) =>
        request.path === '/network/clients' && model.service.count(authClientPath) === 1
          ? { clients: [] }
          : answer,
      profile: 'production',
    });
    const { clientId } = await ensure();
    await rm(path('registration'));
    const registration = await ensure();
    expect(registration.clientId).toBe(clientId);
    expect(registration.tunnel?.text.reveal()).toContain('private-1');
    expect(model.creates()).toBe(1);
  });
});

describe('a disk that takes nothing', () => {
  it('is found before anything is registered', async () => {
    const { model, directory, ensure } = await start();
    await rm(directory, { recursive: true });
    await writeFile(directory, 'a file where the directory should be');
    expect(await codeOf(ensure())).toBe('state-unwritable');
    expect(model.service.seen).toHaveLength(0);
  });

  it('after the create costs no second client', async () => {
    const { model, boot, ensure } = await start();
    const full = crashAt(5, 'before', new TributaryError('state-unwritable', 'disk full'));
    expect(await codeOf(ensureRegistration(full.on(boot()), new AbortController().signal))).toBe(
      'state-unwritable',
    );
    expect(model.creates()).toBe(1);
    await ensure();
    expect(model.creates()).toBe(1);
  });
});

describe('state files', () => {
  it('are for their owner only', async () => {
    const { directory, ensure } = await start();
    await ensure();
    const names = await readdir(directory);
    expect(names.toSorted()).toEqual(['identity.json', 'pending-create.json', 'registration.json']);
    for (const name of names) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
  });
});

describe('a broken identity', () => {
  it('with two clients that look alike takes neither, and says what to do', async () => {
    const { model, ensure, path } = await start();
    await ensure();
    model.rows.push({
      ...(model.rows[0] as Row),
      client_id: 'twin',
      device_spec: `${desired.spec} [tributary:0123456789abcdef]`,
    });
    for (const name of ['registration', 'identity', 'pending-create'])
      await writeFile(path(name), 'garbage');
    for (let round = 0; round < 2; round += 1) expect(await codeOf(ensure())).toBe('client-lost');
    expect(model.service.count(authClientPath)).toBe(1);
  });
});

describe('an identity', () => {
  it('that does not name the client is completed from the registration', async () => {
    const { boot, ensure } = await start();
    const { clientId, installId } = await ensure();
    await boot().files.identity.write({ installId, clientId: undefined, isUncertain: false });
    await ensure();
    expect(await boot().files.identity.readOrSetAside()).toMatchObject({ clientId });
  });

  it('that was broken, with no client that looks like it, registers nothing', async () => {
    const { model, ensure, path } = await start();
    await ensure({ ...desired, description: 'barn' });
    for (const name of ['registration', 'identity', 'pending-create'])
      await writeFile(path(name), 'garbage');
    for (let round = 0; round < 2; round += 1) expect(await codeOf(ensure())).toBe('client-lost');
    expect(model.creates()).toBe(1);
  });
});

describe('a renewal', () => {
  const renew = (boot: () => RegistrationDependencies, registration: Registration) =>
    askAgain(boot(), registration, new AbortController().signal);

  it('sends id, description and spec each time', async () => {
    const { model, boot, ensure } = await start();
    const registration = await ensure();
    await renew(boot, registration);
    expect(model.service.seen.at(-1)?.body).toEqual({
      client_id: registration.clientId,
      description: 'shed',
      device_spec: `tributary/1 linux [tributary:${registration.installId}]`,
      proxy_config: { enable_wg: true },
    });
  });

  it('stores and returns a changed tunnel', async () => {
    const { model, boot, ensure } = await start();
    const registration = await ensure();
    model.rows[0] = {
      ...(model.rows[0] as Row),
      proxy_client: { proxy_host: 'other', wg_config: { config: 'new' } },
    };
    const renewed = await renew(boot, registration);
    expect(renewed.tunnel).toMatchObject({ proxyHost: 'other' });
    expect((await ensure()).tunnel?.text.reveal()).toBe('new');
  });

  it('keeps the tunnel where the answer brings none', async () => {
    const { boot, ensure } = await start({ profile: 'production' });
    const registration = await ensure();
    const renewed = await renew(boot, registration);
    expect(renewed.tunnel?.text.reveal()).toContain('private-1');
    expect(renewed.renewSeconds).toBe(0);
  });

  it('does not write the disk for a fresh client JWT alone, but once a day', async () => {
    const { boot, ensure, path } = await start({
      alter: (request, answer) =>
        request.path === authClientPath
          ? { ...answer, by_client_jwt: makeJwt({ at: Math.random() }) }
          : answer,
    });
    const registration = await ensure();
    const before = await readFile(path('registration'), 'utf8');
    const renewed = await renew(boot, registration);
    expect(renewed.clientJwt.equals(registration.clientJwt)).toBe(false);
    expect(await readFile(path('registration'), 'utf8')).toBe(before);
    const later = await renew(boot, {
      ...renewed,
      storedAt: new Date(Date.now() - 86_400_001).toISOString(),
    });
    expect((await ensure()).clientJwt.equals(later.clientJwt)).toBe(true);
  });

  it('looks in the list for a tunnel when the stored one is of no use and the answer brings none', async () => {
    const { boot, ensure, model } = await start({
      alter: (request, answer) =>
        request.path === authClientPath && !isCreate(request)
          ? { ...answer, proxy_config_result: null }
          : answer,
    });
    const registration = await ensure();
    const proxy = model.rows[0]?.proxy_client as { wg_config: { config: string } };
    proxy.wg_config.config += '\n# mended';
    expect((await renew(boot, registration)).tunnel?.text.reveal()).not.toContain('mended');
    const needing = () => ({ ...boot(), needsTunnel: true });
    expect((await renew(needing, registration)).tunnel?.text.reveal()).toContain('mended');
    expect((await ensure()).tunnel?.text.reveal()).toContain('mended');
  });

  it('with a client JWT and an error is a success with a notice', async () => {
    const { boot, ensure, notices } = await start({
      alter: (request, answer) =>
        isCreate(request) || request.path !== authClientPath
          ? answer
          : { ...answer, error: { message: 'Plan ends.' } },
    });
    const renewed = await renew(boot, await ensure());
    expect(renewed.clientJwt.reveal()).not.toBe('');
    expect(notices.join()).toContain('Plan ends.');
  });

  it('answered for another client is refused', async () => {
    const { boot, ensure } = await start({
      alter: (request, answer) =>
        isCreate(request) || request.path !== authClientPath
          ? answer
          : { ...answer, client_id: 'someone-else' },
    });
    expect(await codeOf(renew(boot, await ensure()))).toBe('answer-invalid');
  });
});

/**
 * Dies at the n-th thing that is done to the disk or the service: `before` it is done, or `after`.
 */
function crashAt(step: number, when: 'before' | 'after', error: Error = new Error('crashed')) {
  let done = 0;
  const pass = async <T>(act: () => Promise<T>): Promise<T> => {
    done += 1;
    const isLast = done >= step;
    if (isLast && when === 'before') throw error;
    const result = await act();
    if (isLast) throw error;
    return result;
  };
  const crashingFile = <T>(file: StateFile<T>): StateFile<T> => ({
    path: file.path,
    peek: file.peek,
    readOrSetAside: file.readOrSetAside,
    wasSetAside: file.wasSetAside,
    copyTo: (ending) => pass(() => file.copyTo(ending)),
    write: (value) => pass(() => file.write(value)),
  });
  const crashingClient = (
    client: RegistrationDependencies['client'],
  ): RegistrationDependencies['client'] => ({
    call: ((...args: Parameters<ServiceClient['call']>) =>
      pass(() => client.call(...args))) as ServiceClient['call'],
  });
  const on = ({ client, files, ...rest }: RegistrationDependencies): RegistrationDependencies => ({
    ...rest,
    client: crashingClient(client),
    files: {
      identity: crashingFile(files.identity),
      registration: crashingFile(files.registration),
      pendingCreate: crashingFile(files.pendingCreate),
      networkJwt: crashingFile(files.networkJwt),
      renewed: files.renewed,
      hasSetAside: files.hasSetAside,
    },
  });
  return { on };
}

/** The text of a pending-create file, as a crash would have left it. */
async function pendingOf(installId: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-pending-'));
  const { pendingCreate } = createRegistrationFiles(directory, () => undefined);
  const pending = {
    installId,
    description: 'shed',
    startedAt: '',
    knownClientIds: [],
    isAccepted: false,
  };
  await pendingCreate.write({ pending });
  const text = await readFile(pendingCreate.path, 'utf8');
  await rm(directory, { recursive: true });
  return text;
}
