import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { addresses } from '../../tools/lab/network.ts';
import { readBlocks } from '../pages.ts';
import {
  type ContainerHost,
  createContainerHost,
  ofThisMachine,
} from './support/container-host.ts';

/** Podman's own bridge: the host on it, and the second container. */
const bridge = { host: '10.88.0.1', neighbour: '10.88.0.77' } as const;
const compressedLimitBytes = 100_000_000;
const secret = '/run/secrets/auth-code';

describe('the image, run as it is documented', () => {
  let host: ContainerHost;

  beforeAll(async () => {
    host = await createContainerHost();
  });
  afterAll(() => host?.[Symbol.asyncDispose]());

  const probe = async (from: string, address: string) =>
    (await host.work(from, 'probe', address, '80')).trim();
  const waitForProviding = () => host.waitForStatus(({ phase }) => phase === 'providing');
  const sh = (script: string) => host.inside('sh', '-c', script);

  test('is smaller than 100 MB compressed', async () => {
    await host.podman('save', '--quiet', '--output', '/run/image.tar', 'tributary');
    const bytes = Number(
      await host.stage.run(['sh', '-c', 'gzip -6 </run/image.tar | wc -c; rm /run/image.tar']),
    );
    process.stderr.write(`  the image is ${(bytes / 1e6).toFixed(1)} MB compressed\n`);
    expect(bytes).toBeLessThan(compressedLimitBytes);
  });

  test('shows what it does before there is an account, with the flags that the guide names', async () => {
    const [, , line = ''] = readBlocks('sh', 'docs/install-docker.md');
    const [, run = '', ...words] = line.trim().split(' ');
    // Its own terminal is no one's here.
    const flags = words.filter((word) => word !== '--tty');
    const said = await host.podman(run, ...ofThisMachine, ...flags);
    expect(said).toContain('All as promised.');
    expect(said).toContain('Next: start the container as compose.yaml does');
  });

  test('one login makes it provide, and packets pass', async () => {
    await host.podman(...host.documentedRun);
    await host.waitForStatus(({ phase }) => phase === 'signed-out');
    expect(await host.inside('tributary', 'health')).toMatch(/^healthy: signed-out .* tolerated/);
    const login = ['exec', '--interactive', 'tributary', 'tributary', 'login'];
    expect(await host.podmanReading(await host.writeAuthCode(), ...login)).toContain('Signed in');
    await waitForProviding();
    expect(await probe('consumer', addresses.internet)).toBe('reached');
    const url = `http://${addresses.internet}:80/bytes/5000000`;
    expect(await host.work('consumer', 'download', url, '60')).toMatch(
      /"bytes":5000000,.*"isWhole":true/,
    );
  });

  test.each([
    ['the NAS at home', addresses.nas, 'home'],
    ['the host at home', addresses.device, 'home'],
    ["the host on the containers' bridge", bridge.host, 'device'],
    ["another container on the containers' bridge", bridge.neighbour, 'device'],
  ])('%s is out of reach of consumers', async (_, address, from) => {
    if (address === bridge.neighbour) await startNeighbour();
    await expect.poll(() => probe(from, address), { timeout: 20_000 }).toBe('reached');
    expect(await probe('consumer', address)).toBe('refused');
  });

  test('no process in it has more than one capability, or a way to more', async () => {
    const states = (await sh('cat /proc/[0-9]*/status')).split(/^Name:\s+/m).slice(1);
    const netAdmin = (1n << 12n).toString(16).padStart(16, '0');
    const none = ''.padStart(16, '0');
    expect(states.map((text) => text.split('\n')[0])).toEqual(
      expect.arrayContaining(['tini', 'wireguard-go']),
    );
    for (const text of states) {
      const read = (name: string) => new RegExp(`^${name}:\\s+(\\w+)$`, 'm').exec(text)?.[1];
      expect([read('CapPrm'), read('CapEff'), read('CapBnd')], text).toEqual([
        netAdmin,
        netAdmin,
        netAdmin,
      ]);
      expect([read('CapInh'), read('CapAmb'), read('NoNewPrivs')], text).toEqual([none, none, '1']);
    }
  });

  test('it can write to its state and to /run, and to nothing of the image or of the kernel', async () => {
    const places = [
      '/',
      '/etc',
      '/usr/bin',
      '/usr/lib/tributary',
      '/var/log',
      '/var/lib',
      '/root',
      '/sys',
    ];
    for (const place of places)
      await expect(sh(`touch ${place}/new`), place).rejects.toThrow('Read-only');
    await expect(sh('echo 0 >/proc/sys/net/ipv4/ip_forward')).rejects.toThrow('Read-only');
    await sh('touch /var/lib/tributary/new /run/new && rm /var/lib/tributary/new /run/new');
  });

  test('the page answers on the host itself, and nowhere else at home', async () => {
    expect(await host.work('device', 'get', 'http://127.0.0.1:9469/readyz')).toContain('providing');
    expect((await host.work('nas', 'probe', addresses.device, '9469')).trim()).toBe('refused');
  });

  test('its health check says well while it works, and unwell where no agent is', async () => {
    const [image] = images.parse(JSON.parse(await host.podman('image', 'inspect', 'tributary')));
    const [kind, ...command] = image.Healthcheck.Test;
    expect(kind).toBe('CMD');
    expect(await host.inside(...command)).toContain('healthy: providing');
    const [, ...args] = command;
    await expect(
      host.podman('run', '--rm', ...host.asideOptions, 'tributary', ...args),
    ).rejects.toThrow(/exited with 1: unhealthy/);
  });

  test('killed, it is back by itself as the same client', async () => {
    const before = await waitForProviding();
    const startedAt = await host.podman('inspect', '--format', '{{.State.StartedAt}}', 'tributary');
    await sh('kill -9 "$(cat /var/lib/tributary/agent.lock)"').catch(() => undefined);
    await expect
      .poll(() => host.podman('inspect', '--format', '{{.State.StartedAt}}', 'tributary'), {
        timeout: 30_000,
      })
      .not.toBe(startedAt);
    expect((await waitForProviding()).client.id).toBe(before.client.id);
    await expect
      .poll(() => probe('consumer', addresses.internet), { timeout: 30_000 })
      .toBe('reached');
    const { devices } = deviceList.parse(
      JSON.parse(await host.inside('tributary', 'device', 'list', '--json')),
    );
    expect(devices).toHaveLength(1);
  });

  test('a new container with the same volume is the same client', async () => {
    const before = await waitForProviding();
    await host.podman('stop', '--time', '20', 'tributary');
    expect(await host.podman('logs', '--tail', '1', 'tributary')).toContain('stopped');
    expect(await host.podman('inspect', '--format', '{{.State.ExitCode}}', 'tributary')).toBe('0');
    await host.podman('rm', 'tributary');
    await host.podman(...host.documentedRun);
    expect((await waitForProviding()).client.id).toBe(before.client.id);
  });

  test('a code in a file of the owner signs it in, and an empty one is none', async () => {
    const options = [
      'run',
      '--rm',
      ...host.asideOptions,
      '--env',
      `TRIBUTARY_AUTH_CODE_FILE=${secret}`,
    ];
    const login = (file: string) =>
      host.podman(...options, '--volume', `${file}:${secret}:ro`, 'tributary', 'login');
    expect(await login(await host.writeAuthCode())).toContain('Signed in');
    await expect(login('/dev/null')).rejects.toThrow(/exited with 64/);
  });

  test('as Home Assistant’s add-on it provides, keeps one capability, and is the same client after an upgrade', async () => {
    // The service leads consumers to another provider only where the present one is not willing.
    const leave = async () => {
      await host.inside('tributary', 'pause');
      await host.waitForStatus(({ provide }) => provide.confirmed === 'none');
      await host.podman('rm', '--force', '--time', '30', 'tributary');
    };
    await leave();
    const start = async (options: Parameters<ContainerHost['prepareAddOn']>[0]) => {
      await host.podman(...(await host.prepareAddOn(options)));
      return waitForProviding();
    };
    const first = await start({ mode: 'public', auth_code: await host.makeAuthCode() });
    await expect
      .poll(() => probe('consumer', addresses.internet), { timeout: 30_000 })
      .toBe('reached');
    expect(await probe('consumer', addresses.nas)).toBe('refused');
    const agent = '"/proc/$(cat /data/tributary/agent.lock)"';
    const status = await sh(`cat ${agent}/status`);
    for (const set of ['CapPrm', 'CapEff', 'CapBnd'])
      expect(status).toMatch(new RegExp(`^${set}:\\s0000000000001000$`, 'm'));
    // The token of its Supervisor is for an add-on that asks it for something.
    expect(await sh(`tr '\\0' '\\n' <${agent}/environ`)).not.toMatch(
      /^(SUPERVISOR|HASSIO)_TOKEN=/m,
    );
    await host.podman('rm', '--force', '--time', '30', 'tributary');
    expect((await start({ mode: 'public' })).client.id).toBe(first.client.id);
    await leave();
    await host.podman(...host.documentedRun);
    await host.waitForStatus(({ phase }) => phase === 'idle');
    await host.inside('tributary', 'resume');
    await waitForProviding();
  });

  test('without its kernel settings it stays closed and names them', async () => {
    await host.podman('rm', '--force', '--time', '20', 'tributary');
    await host.podman(
      ...host.documentedRun.filter(
        (word, at, all) => word !== '--sysctl' && all[at - 1] !== '--sysctl',
      ),
    );
    const { reasons } = await host.waitForStatus(({ phase }) => phase === 'blocked');
    expect(reasons[0]?.message).toContain('--sysctl net.ipv4.ip_forward=1');
    expect(await probe('consumer', addresses.internet)).toBe('refused');
  });

  test('consumers of the network’s own protocol are served by an engine without any capability', async () => {
    await host.podman('rm', '--force', '--time', '20', 'tributary');
    const [command = '', ...options] = host.documentedRun;
    await host.podman(command, '--env', 'TRIBUTARY_SOURCE=connect', ...options);
    const { sources } = await waitForProviding();
    // As documented it may forward IPv4 alone: IPv6 is left out, and nothing is blocked by that.
    expect(sources).toMatchObject([{ name: 'connect', there: true, problem: { code: 'no-ipv6' } }]);
    const engines = (await sh(findEngines)).split(/^Name:\s+/m).slice(1);
    expect(engines).toHaveLength(1);
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
      expect(engines[0]).toMatch(new RegExp(`^${set}:\\s0+$`, 'm'));
    expect(engines[0]).toMatch(/^NoNewPrivs:\s1$/m);
    // Landlock has no line there: where it does not hold, the start says so.
    expect(await host.podman('logs', 'tributary')).not.toContain('does not restrict');
    const agent = await sh('cat "/proc/$(cat /var/lib/tributary/agent.lock)/status"');
    expect(countFilters(engines[0])).toBe(countFilters(agent) + 1);
    await host.changeConsumer();
    await expect
      .poll(() => probe('consumer', addresses.internet), { timeout: 30_000 })
      .toBe('reached');
    expect(await probe('consumer', addresses.nas)).toBe('refused');
    expect(await probe('consumer', addresses.device)).toBe('refused');
    const url = `http://${addresses.internet}:80/bytes/3000000`;
    expect(await host.work('consumer', 'download', url, '60')).toMatch(
      /"bytes":3000000,.*"isWhole":true/,
    );
  });

  async function startNeighbour(): Promise<void> {
    const serve =
      "require('node:http').createServer((request, response) => response.end()).listen(80)";
    const options = [
      '--detach',
      '--cap-add',
      'NET_BIND_SERVICE',
      '--ip',
      bridge.neighbour,
      '--entrypoint',
      '/usr/lib/tributary/node',
    ];
    await host.podman(
      'run',
      '--name',
      'neighbour',
      ...host.asideOptions,
      ...options,
      'tributary',
      '-e',
      serve,
    );
  }
});

/** How many filters of calls hold for a process. */
const countFilters = (status = '') =>
  Number(/^Seccomp_filters:\s+(\d+)$/m.exec(status)?.[1] ?? Number.NaN);

/** What the kernel says of each engine: of what has become one, and not of what is about to. */
const findEngines = `
for process in /proc/[0-9]*; do
  if [ "$(readlink $process/exe)" = /usr/lib/tributary/node ] && grep -aq engine.cjs $process/cmdline; then
    cat $process/status
  fi
done`;
const images = z.tuple([z.object({ Healthcheck: z.object({ Test: z.array(z.string()) }) })]);
const deviceList = z.object({ devices: z.array(z.object({ clientId: z.string() })) });
