import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Lab } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

describe.skipIf(!isInsideLab())('a token that the platform refuses over connect', () => {
  let lab: Lab;
  let agent: LabProcess;
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'csout',
      profile: 'documented',
      source: 'connect',
      serviceArguments: ['--token-seconds', '40'],
      // Unasked, the agent asks in hours: only what the engine meets brings it to ask now.
      config: { service: { renew_seconds_default: 21_600 } },
    });
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  it('is asked about at once, and where it can never be good again the device is signed out', async () => {
    lab.service().kill('SIGTERM');
    await lab.service().exited;
    await lab.waitForStatus(({ phase }) => phase !== 'providing');
    // A service that knows nobody, as after a change of its key. Meanwhile the token has expired.
    await rm(join(lab.directory, 'service'), { recursive: true });
    const expiresAtMs = await readExpiry(lab);
    await expect.poll(() => Date.now()).toBeGreaterThan(expiresAtMs + 1000);
    await lab.restartService();
    const { reasons, gateway } = await lab.waitForStatus(({ phase }) => phase === 'signed-out');
    expect(reasons[0]).toMatchObject({ code: expect.stringMatching(/signed-out|not-authorized/) });
    expect(gateway).toMatchObject({ open: false });
  });
});

/** Until when the token of the device's network is good. */
async function readExpiry(lab: Lab): Promise<number> {
  const text = await readFile(join(lab.stateDirectory, 'network-jwt.json'), 'utf8');
  const [, claims = ''] = /[\w-]+\.([\w-]+)\.[\w-]+/.exec(text) ?? [];
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    readonly exp: number;
  };
  return exp * 1000;
}
