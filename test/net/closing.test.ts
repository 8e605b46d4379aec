import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Lab, webPort } from '../../src/lab/lab.ts';
import { addresses, isInsideLab } from '../../src/lab/network.ts';
import type { LabProcess } from '../../src/lab/processes.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('what the kernel remembers of connections', () => {
  let lab: Lab;
  let agent: LabProcess;
  const onDevice = (...command: readonly [string, ...string[]]) => lab.network.run('device', ...command);
  beforeAll(async () => {
    lab = await createTestLab({ id: 'close', profile: 'production' });
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  it('need not hold the tunnel itself: whoever comes long after its last word is heard', async () => {
    await onDevice('conntrack', '--flush');
    expect(await lab.probe(addresses.internet, webPort)).toBe('reached');
  });
});
