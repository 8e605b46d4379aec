import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { hasOwnEtc, names, startNames } from '../soak/names.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

/** Far less than a handshake lasts, which is all that told it before (ms). */
const patienceMs = 60_000;

describe.skipIf(!isInsideLab())('a service that moves to another address', () => {
  let isPossible = false;
  beforeAll(async () => {
    // Without it, names would be written into this machine's own /etc.
    isPossible = await hasOwnEtc();
  });

  it('is followed by its name while the last handshake is still good', async (context) => {
    if (!isPossible) context.skip('this kernel lays no private folder over /etc');
    const lab = await createTestLab({
      id: 'mvsvc',
      profile: 'documented',
      serviceArguments: ['--listen', '0.0.0.0:8080', '--proxy-host', names.endpoint],
      config: { service: { base_url: `http://${names.service}:8080` } },
    });
    const started: LabProcess[] = [];
    onTestFinished(async () => {
      for (const running of started) running.kill('SIGKILL');
      await lab.remove();
    });
    const known = await startNames({
      lab,
      start(command) {
        const running = startProcess(command);
        started.push(running);
        return running;
      },
    });
    const agent = lab.startAgent();
    showLogOnFailure(context, () => agent);
    const before = await lab.waitForStatus(({ phase }) => phase === 'providing', 90_000);
    await known.move();
    const after = await lab.waitForStatus(
      ({ phase, tunnel }) =>
        phase === 'providing' &&
        tunnel.endpoint !== before.tunnel.endpoint &&
        tunnel.lastHandshakeAt !== null,
      patienceMs,
    );
    expect(after.tunnel.endpoint).not.toContain('[');
  });
});
