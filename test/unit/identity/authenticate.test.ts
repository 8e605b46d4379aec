import { describe, expect, test } from 'vitest';
import { authenticate, composeAuthClientRequest } from '../../../src/identity/authenticate.ts';
import { clientId, createDevice, installId, makeJwt, marker } from './fake-service.ts';

const own = { installId, clientId };

describe('the body of auth-client', () => {
  test('names the device, its marker and what the owner set', () => {
    const proxy = {
      lock_caller_ip: true,
      lock_ips: ['192.0.2.1'],
      https_require_auth: false,
      country_code: 'DE',
    };
    expect(
      composeAuthClientRequest({ description: 'shed', spec: 'pi', wantsTunnel: true, proxy }, own),
    ).toEqual({
      clientId,
      description: 'shed',
      deviceSpec: `pi ${marker}`,
      proxyConfig: {
        lockCallerIp: true,
        lockIpList: ['192.0.2.1'],
        httpsRequireAuth: false,
        enableWg: true,
        initialDeviceState: { countryCode: 'DE' },
      },
    });
  });

  test.each([true, false])('asks for a tunnel where one is wanted: %s', (wantsTunnel) => {
    const request = composeAuthClientRequest(
      { description: 'shed', spec: 'pi', wantsTunnel, proxy: {} },
      own,
    );
    expect(request?.proxyConfig?.enableWg).toBe(wantsTunnel);
  });

  test('has no location without a country, and no blank before the marker without a spec', () => {
    const request = composeAuthClientRequest(
      { description: 'shed', spec: '', wantsTunnel: true, proxy: {} },
      { installId, clientId: undefined },
    );
    expect(request).toMatchObject({ clientId: undefined, deviceSpec: marker });
    expect(request?.proxyConfig?.initialDeviceState).toBeUndefined();
    expect(request?.proxyConfig?.enableWg).toBe(true);
  });
});

describe('a re-authentication', () => {
  test('asks with the owner’s token for the client', async () => {
    const { dependencies, seen, signal, notices } = await createDevice({
      authClient: [{ by_client_jwt: 'opaque' }],
    });
    const answer = await authenticate(dependencies, own, signal);
    expect(answer.byClientJwt.reveal()).toBe('opaque');
    expect(seen).toMatchObject([
      { name: 'authClient', request: { clientId }, token: 'network.jwt' },
    ]);
    expect(notices).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['names another client', { by_client_jwt: 'opaque', client_id: 'other' }, 'answer-invalid'],
    [
      'holds a token of another client',
      { by_client_jwt: makeJwt({ client_id: 'other' }) },
      'answer-invalid',
    ],
    ['holds nothing', {}, 'answer-invalid'],
    ['is a refusal', { error: { message: 'No.' } }, 'service-refused'],
    ['is a limit', { error: { client_limit_exceeded: true } }, 'client-limit-exceeded'],
    ['says that the token is refused', { error: { message: 'Not authorized.' } }, 'not-authorized'],
  ])('whose answer %s fails', async (_, answer, code) => {
    const { dependencies, signal } = await createDevice({ authClient: [answer] });
    await expect(authenticate(dependencies, own, signal)).rejects.toMatchObject({ code });
  });

  test.each<[string, object]>([
    ['names it', { by_client_jwt: 'opaque', client_id: clientId }],
    ['names it in the token', { by_client_jwt: makeJwt({ client_id: clientId }) }],
    ['names nobody', { by_client_jwt: 'opaque', client_id: '' }],
    // The field is the service's own word; a token's claims are only read where it is missing.
    [
      'names it beside a token of another',
      { by_client_jwt: makeJwt({ client_id: 'other' }), client_id: clientId },
    ],
  ])('whose answer %s is taken', async (_, answer) => {
    const { dependencies, signal } = await createDevice({ authClient: [answer] });
    expect((await authenticate(dependencies, own, signal)).byClientJwt).toBeDefined();
  });

  test('that succeeds with an error beside it passes the error on as a notice', async () => {
    const answers = { authClient: [{ by_client_jwt: 'opaque', error: { message: 'Plan ends.' } }] };
    const { dependencies, signal, notices } = await createDevice(answers);
    await authenticate(dependencies, own, signal);
    expect(notices.join()).toContain('Plan ends.');
    const { onNotice: _, ...silent } = dependencies;
    expect(await authenticate(silent, own, signal)).toMatchObject({
      error: { message: 'Plan ends.' },
    });
  });
});

test('an answer without a token and without an error may have made something', async () => {
  const { dependencies, signal } = await createDevice({ authClient: [{}] });
  await expect(
    authenticate(dependencies, { installId, clientId: undefined }, signal),
  ).rejects.toMatchObject({
    code: 'answer-invalid',
    maybeSent: true,
    message: 'POST /network/auth-client: the answer holds neither a client JWT nor an error',
  });
});
