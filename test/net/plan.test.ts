import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lab } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, killAgent, runOnDevice } from './support/test-lab.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('tributary plan', () => {
  let lab: Lab;
  let agent: LabProcess;
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'plan',
      profile: 'documented',
      config: {
        gateway: { allow_destinations: ['192.0.2.0/24'], permit_seconds: 60 },
        provide: { cap: { bytes: '9 GB' } },
      },
    });
  });
  afterAll(() => lab?.remove());

  const run = (...command: readonly string[]) => lab.network.run('device', ...command);
  // The kernel gives each interface an address of its own (fe80::) a moment after it came up.
  const show = () =>
    run(
      'sh',
      '-c',
      '{ nft list ruleset; ip rule; ip route show table all; ip link; } | grep -v fe80:',
    );
  const plan = async (...args: readonly string[]) => {
    const { exitCode, text } = await runOnDevice(lab, ['plan', ...args]);
    expect(exitCode, text).toBe(0);
    return text;
  };

  it('says before the first start what would be done, and does nothing', async () => {
    const before = await show();
    const text = await plan();
    expect(text).toContain('# Firewall, one transaction of nft -f -\ntable inet tributary {');
    expect(text).toContain('none: this device is not registered; `tributary run` registers it');
    expect(text).toContain('firewall: + the whole table');
    expect((await runOnDevice(lab, ['run', '--dry-run'])).text).toBe(text);
    expect(await show()).toBe(before);
  });

  it('finds no difference while the agent provides', async () => {
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    const text = await plan();
    expect(text).toMatch(/# What differs from the kernel now\nnothing\n*$/);
    expect(text).toContain('PrivateKey = [secret]');
    const { differences } = JSON.parse(await plan('--json'));
    expect(differences).toEqual({ firewall: [], tunnel: [], settings: [], routing: [] });
  });

  it('knows a limit that was set by hand', async () => {
    await lab.runCommand('provide', 'public', '--limit', '20 Mbit');
    expect(await plan()).toMatch(/# What differs from the kernel now\nnothing\n*$/);
    await lab.runCommand('provide', 'auto');
  });

  it('names the rule that a stranger swapped under its comment, the route and the setting that are gone', async () => {
    await killAgent(agent);
    await run(
      ...['sh', '-c'],
      'handle=$(nft -a list chain inet tributary destination | sed -n \'s/.*comment "host" # handle //p\'); ' +
        'nft replace rule inet tributary destination handle $handle return comment \'"host"\'; ' +
        'ip route delete default table 51820; echo 0 >/proc/sys/net/ipv4/conf/lan0/forwarding',
    );
    const { differences } = JSON.parse(await plan('--json'));
    expect(differences).toEqual({
      firewall: [
        '- chain destination: return comment "host"',
        '+ chain destination: fib daddr type local counter name "refused_host" drop comment "host"',
      ],
      tunnel: [],
      settings: ['net/ipv4/conf/lan0/forwarding = 1'],
      routing: [expect.stringMatching(/^ip -4 route replace default dev \S+ table 51820$/)],
    });
  });

  it('says to whoever may not read the firewall which right is missing', async () => {
    const [program, ...args] = lab.command('plan');
    const { exitCode, text } = await runUnprivileged([program, ...args]);
    expect([exitCode, text]).toEqual([77, expect.stringContaining('CAP_NET_ADMIN')]);
  });

  async function runUnprivileged(argv: readonly string[]) {
    const { startProcess } = await import('../../tools/lab/processes.ts');
    const cut = argv.indexOf('exec') + 2;
    const dropped = [
      ...argv.slice(0, cut),
      'setpriv',
      '--bounding-set',
      '-net_admin',
      '--inh-caps',
      '-net_admin',
    ];
    const running = startProcess({
      argv: [...dropped, ...argv.slice(cut)] as [string, ...string[]],
    });
    const exitCode = await running.exited;
    return { exitCode, text: running.lines.join('\n') };
  }
});
