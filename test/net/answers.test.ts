import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import type { NastyAnswer } from '../../tools/lab/nasty-service.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { type NastyService, nastyUrl, startNastyService } from './support/start-nasty-service.ts';
import {
  countClients,
  createTestLab,
  runOnDevice,
  showLogOnFailure,
  signIn,
} from './support/test-lab.ts';

const page = '<!doctype html><title>Too many requests</title>';
const authClient = 'POST /network/auth-client';
const mostRequestsARound = 5;

const wrongAnswers: readonly { readonly name: string; readonly answer: NastyAnswer }[] = [
  {
    name: 'a 429 page',
    answer: { kind: 'status', status: 429, text: page, contentType: 'text/html' },
  },
  {
    name: "a portal's page",
    answer: { kind: 'status', status: 200, text: page, contentType: 'text/html' },
  },
  { name: 'a 500', answer: { kind: 'status', status: 500, text: 'Error. Please email us.' } },
  {
    name: 'a 401 page',
    answer: { kind: 'status', status: 401, text: page, contentType: 'text/html' },
  },
  {
    name: 'an empty object',
    answer: { kind: 'status', status: 200, text: '{}', contentType: 'application/json' },
  },
  { name: 'a truncated answer', answer: { kind: 'truncated' } },
  { name: 'an endless answer', answer: { kind: 'huge' } },
  { name: 'a redirect', answer: { kind: 'redirect' } },
  { name: 'a reset', answer: { kind: 'reset' } },
];

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a service that answers wrongly while the device provides', () => {
  let lab: Lab;
  let service: NastyService;
  let agent: LabProcess;
  let clientId: string | null;
  let newCode: string;
  /** Asks the service now instead of at the next renewal, and waits until it was asked. */
  const renewNow = async (asked = authClient) => {
    const before = service.requests.length;
    agent.kill('SIGHUP');
    await expect.poll(() => service.requests.slice(before)).toContain(asked);
    return () => service.requests.length - before;
  };
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'answ',
      profile: 'documented',
      keepaliveSeconds: 600,
      config: { service: { base_url: nastyUrl, profile: 'documented', allow_insecure_http: true } },
    });
    service = await startNastyService(lab);
    await signIn(lab);
    newCode = await makeNewCode(lab);
    agent = lab.startAgent();
    const isSettled = (status: StatusDocument) =>
      status.phase === 'providing' && status.provide.confirmed === 'public';
    clientId = (await lab.waitForStatus(isSettled)).client.id;
  });
  afterAll(async () => {
    await service?.stop();
    await lab?.remove();
  });

  it.each(wrongAnswers)('goes on providing: $name', async ({ answer }) => {
    await service.behave({ answers: { '*': answer } });
    const countSince = await renewNow();
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    const status = await lab.status();
    expect(status).toMatchObject({
      phase: 'providing',
      client: { id: clientId },
      gateway: { open: true },
    });
    expect(countSince()).toBeLessThanOrEqual(mostRequestsARound);
    await service.behave({});
    await renewNow();
  });

  it('asks a service that fails ever more seldom', async () => {
    await service.behave({ answers: { '*': { kind: 'status', status: 500, text: 'Error.' } } });
    const countSince = await renewNow();
    await sleep(4_000);
    // At most three tries a round, and half a second between rounds at the very least.
    expect(countSince()).toBeLessThan(20);
    expect((await lab.status()).phase).toBe('providing');
    await service.behave({});
    await renewNow();
  });

  it('goes on providing while the service stalls, is gone, and comes back', async (context) => {
    showLogOnFailure(context, () => agent);
    // A short interval, because a registered device waits for a part of it before it asks again.
    await service.behave({ keepaliveSeconds: 5 });
    await renewNow();
    await service.behave({ answers: { '*': { kind: 'stalled' } } });
    await renewNow();
    await service.stop();
    await lab.waitForStatus(({ service: { reachable } }) => reachable === false);
    const running = lab.startDownload(10_000_000, 30);
    expect(await waitForDownload(running)).toMatchObject({ bytes: 10_000_000, isWhole: true });
    const status = await lab.status();
    expect(status.phase).toBe('providing');
    expect(status.reasons[0]?.code, 'a note').toMatch(/service-unreachable|answer-truncated/);
    service = await startNastyService(lab);
    const recovered = await lab.waitForStatus(
      ({ service: { reachable } }) => reachable === true,
      90_000,
    );
    expect(recovered).toMatchObject({ phase: 'providing', client: { id: clientId } });
  });

  it('is not signed out by one operation that refuses', async () => {
    const refusal = { kind: 'status', status: 401, text: 'Not authorized.' } as const;
    await service.behave({ answers: { '/network/auth-client': refusal } });
    await renewNow('GET /network/clients');
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    expect((await lab.status()).phase).toBe('providing');
    await service.behave({});
    await renewNow();
  });

  it('keeps providing while two refuse, says so, and is let in again by itself or by a login', async (context) => {
    showLogOnFailure(context, () => agent);
    const refusal = { kind: 'status', status: 401, text: 'Not authorized.' } as const;
    await service.behave({ answers: { '*': refusal } });
    const running = lab.startDownload(10_000_000, 30);
    await renewNow('GET /network/clients');
    const isRefused = ({ reasons }: StatusDocument) =>
      reasons.some(({ code }) => code === 'sign-in-refused');
    expect(await lab.waitForStatus(isRefused)).toMatchObject({
      phase: 'providing',
      gateway: { open: true },
    });
    expect(await waitForDownload(running)).toMatchObject({ bytes: 10_000_000, isWhole: true });
    await service.behave({});
    await renewNow();
    expect(await lab.waitForStatus((status) => !isRefused(status))).toMatchObject({
      phase: 'providing',
    });
    await service.behave({ answers: { '*': refusal } });
    await renewNow('GET /network/clients');
    await lab.waitForStatus(isRefused);
    await service.behave({});
    const login = await runOnDevice(lab, ['login'], { TRIBUTARY_AUTH_CODE: newCode });
    expect(login).toMatchObject({
      exitCode: 0,
      text: expect.stringMatching(/^Signed in to \S+\.\nThe agent takes it/),
    });
    const again = await lab.waitForStatus((status) => !isRefused(status));
    expect(again).toMatchObject({ phase: 'providing', client: { id: clientId } });
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    expect(await countClients(lab)).toBe(1);
  });
});

/**
 * The reference service makes one with every start. Only before there is a tunnel, whose session a
 * restart would end.
 */
async function makeNewCode(lab: Lab): Promise<string> {
  lab.service().kill('SIGTERM');
  await lab.service().exited;
  await lab.restartService();
  const first = lab.service().lines.find((line) => line.includes('"authCode"')) ?? '{}';
  return (JSON.parse(first) as { readonly authCode: string }).authCode;
}
