import { stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type AuthenticatedAnswer,
  composeRegistration,
} from '../../../src/identity/authenticate.ts';
import { clearPending, storeRegistration } from '../../../src/identity/registration.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { operations } from '../../../src/service/operations.ts';
import { fromWire } from '../../../src/service/wire-case.ts';
import { clientId, createDisk, installId, pending, registration, tunnel } from './fake-service.ts';

const own = { installId, clientId };
const now = new Date('2026-05-04T12:00:00Z');
const toAnswer = (answer: object = {}): AuthenticatedAnswer => {
  const { byClientJwt = new Secret(''), ...rest } = fromWire(
    operations.authClient.response.parse({ by_client_jwt: 'new.client.jwt', ...answer }),
  );
  return { ...rest, byClientJwt };
};

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

describe('what an answer amounts to', () => {
  const other = { ...tunnel, proxyHost: 'other.example' };

  test('is, the first time, what it says', () => {
    const answer = toAnswer({ proxy_config_result: { keepalive_seconds: 30 } });
    expect(composeRegistration(own, { answer, tunnel, before: undefined })).toEqual({
      ...own,
      clientJwt: new Secret('new.client.jwt'),
      renewSeconds: 30,
      tunnel,
      storedAt: now.toISOString(),
      showsProduction: false,
    });
  });

  test('keeps what it brings nothing new of', () => {
    expect(
      composeRegistration(own, { answer: toAnswer(), tunnel: undefined, before: registration }),
    ).toEqual({
      ...registration,
      clientJwt: new Secret('new.client.jwt'),
      storedAt: now.toISOString(),
    });
  });

  test('replaces what it brings', () => {
    const answer = toAnswer({ client_id: 'x', proxy_config_result: { keepalive_seconds: 0 } });
    expect(composeRegistration(own, { answer, tunnel: other, before: registration })).toMatchObject(
      {
        clientId,
        renewSeconds: 0,
        tunnel: other,
        showsProduction: true,
      },
    );
  });

  test('shows production only by this answer', () => {
    const before = { ...registration, showsProduction: true };
    expect(composeRegistration(own, { answer: toAnswer(), tunnel, before }).showsProduction).toBe(
      false,
    );
  });
});

describe('a registration', () => {
  test('is written down, and no create is under way any more', async () => {
    const { files } = await createDisk();
    await files.pendingCreate.write({ pending });
    const stored = await storeRegistration({ files }, own, {
      answer: toAnswer(),
      tunnel,
      before: undefined,
    });
    expect(await files.registration.peek()).toEqual(stored);
    expect(await files.pendingCreate.peek()).toEqual({ pending: undefined });
  });

  test.each<[object, object]>([
    [{}, { said: undefined, needsUpgrade: false }],
    [{ error: { message: 'Invalid location' } }, { said: 'Invalid location', needsUpgrade: false }],
    [
      { error: { message: 'Upgrade.', upgrade_required: true } },
      { said: 'Upgrade.', needsUpgrade: true },
    ],
    [{ error: { upgrade_required: true } }, { said: undefined, needsUpgrade: true }],
  ])(
    'without a tunnel is written down with what the service said: %j',
    async (answer, unissued) => {
      const { files } = await createDisk();
      await files.pendingCreate.write({ pending });
      const stored = await storeRegistration({ files }, own, {
        answer: toAnswer(answer),
        tunnel: undefined,
        before: undefined,
      });
      expect(stored).toMatchObject({ clientId, tunnel: undefined, unissued });
      expect(await files.registration.peek()).toEqual(stored);
      expect(await files.pendingCreate.peek()).toEqual({ pending: undefined });
    },
  );

  test('that has its tunnel no longer says why it had none', () => {
    const before = {
      ...registration,
      tunnel: undefined,
      unissued: { said: 'Invalid location', needsUpgrade: false },
    };
    const issued = composeRegistration(own, { answer: toAnswer(), tunnel, before });
    expect(issued).toMatchObject({ tunnel, unissued: undefined });
  });
});

test('the end of a create is only written where one was under way', async () => {
  const { files, path } = await createDisk();
  await clearPending(files);
  expect(await files.pendingCreate.peek()).toBeUndefined();
  await files.pendingCreate.write({ pending: undefined });
  const before = await stat(path('pending-create'));
  await clearPending(files);
  expect((await stat(path('pending-create'))).ino).toBe(before.ino);
});
