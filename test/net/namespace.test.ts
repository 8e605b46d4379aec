import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetArguments } from '../../src/namespace/forget.ts';
import { userNamespaceFile } from '../../src/namespace/owner.ts';
import { requestName } from '../../src/system/host-request.ts';
import { type Lab, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { describeForwardPolicies } from './support/forward-policies.ts';
import { startReceiver } from './support/start-receiver.ts';
import { createTestLab } from './support/test-lab.ts';

const worker = join(import.meta.dirname, '../../dist/worker.cjs');
const asUnit = join(import.meta.dirname, 'support/as-a-unit.py');
/** What the unit runs where the agent asks for it. */
const forgetInUnit =
  /^ExecStart=(.*)$/m
    .exec(
      readFileSync(
        join(import.meta.dirname, '../../systemd/tributary-netns-forget.service'),
        'utf8',
      ),
    )?.[1]
    ?.split(' ') ?? [];
const consumers = '10.99.0.0/24';
/** Public as far as addresses go; the lab's home router has it. */
const outside = '45.83.100.7';
const hookPort = 8099;
const brokerPort = 1883;

/** Whom the owner has the agent tell: a server in the home network, and one on the host itself. */
const told = [
  { name: 'the webhook at the NAS', host: 'nas', address: addresses.nas, port: hookPort },
  { name: 'the broker on the host', host: 'device', address: addresses.device, port: brokerPort },
] as const;

/*
 * `tributary namespace up` on a host: the lab's device plays the host, and the agent runs in the
 * namespace made on it. `ip netns add` needs the mount namespace of the lab, so commands enter the
 * device's network namespace alone.
 */
// Outside the lab there are no namespaces, and the host itself would be changed.
describe.skipIf(!isInsideLab())('a namespace of its own on a host', () => {
  let lab: Lab;
  let agent: LabProcess;
  let receivers: readonly LabProcess[];
  let before: string;

  const onHost = (...command: readonly string[]) =>
    ['nsenter', `--net=/run/netns/${lab.network.netns('device')}`, ...command] as const;
  const run = async (...command: readonly string[]) => {
    const running = startProcess({ argv: onHost(...command) });
    const exitCode = await running.exited;
    return { exitCode, text: running.lines.join('\n') };
  };
  const probeFromInside = async (address: string, port: number) =>
    (
      await run(
        'ip',
        'netns',
        'exec',
        'tributary',
        process.execPath,
        worker,
        'probe',
        address,
        String(port),
      )
    ).text;
  const connectFromInside = async (localPort: number, address: string, port: number) => {
    const script = `const socket = require('node:net').connect({ host: '${address}', port: ${port}, localPort: ${localPort} });
      const end = (text) => { console.log(text); process.exit(0); };
      socket.on('connect', () => end('reached')).on('error', () => end('refused'));
      setTimeout(end, 2000, 'refused');`;
    return (await run('ip', 'netns', 'exec', 'tributary', process.execPath, '-e', script)).text;
  };
  // Without `ip netns exec NAME`, which the lab puts in front.
  const program = (...args: readonly string[]) => lab.command(...args).slice(4);
  // First the link, whose end the kernel may remove some time after the namespace.
  const loseNamespace = () =>
    run('sh', '-c', 'ip link delete tributary-host; ip netns delete tributary');
  // Another test's lab may keep a folder of its own in /etc/netns meanwhile.
  const etc =
    'ls /etc | grep -vx netns; (ls -d /etc/netns/tributary; find /etc/netns -maxdepth 0 -empty) 2>&-';
  const snapshot = async () =>
    (
      await run(
        'sh',
        '-c',
        `ip -br a; ip rule; ip -4 route show table all; ip netns | grep ^tributary; nft list ruleset; sysctl -a --pattern net.ipv4.*forw; ${etc}`,
      )
    ).text;

  beforeAll(async () => {
    lab = await createTestLab({
      id: 'hostns',
      profile: 'documented',
      publicAddress: outside,
      // The host's side of the fence knows nothing of the lab's Internet either, nor of its
      // service.
      config: {
        gateway: { allow_destinations: ['192.0.2.0/24', '198.51.100.0/24'] },
        report: {
          webhook: { url: `http://${addresses.nas}:${hookPort}/hook`, allow_insecure_http: true },
          mqtt: { url: `mqtt://${addresses.device}:${brokerPort}`, allow_insecure_mqtt: true },
        },
      },
    });
    receivers = await Promise.all([
      ...told.map(({ host, address, port }) => startReceiver(lab, host, address, port)),
      startReceiver(lab, 'home', addresses.homeLan, hookPort),
      startReceiver(lab, 'home', outside, webPort),
    ]);
    before = await snapshot();
  });

  afterAll(async () => {
    agent?.kill();
    await agent?.exited;
    for (const receiver of receivers ?? []) receiver.kill();
    await lab?.remove();
  });

  it('is made, and made again without harm', async () => {
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect((await run('ip', 'netns', 'exec', 'tributary', 'ip', '-br', 'address')).text).toContain(
      'uplink0',
    );
    // Not in the state directory, which is an ordinary user's under systemd.
    expect(statSync('/run/tributary-netns/host-restore.json')).toMatchObject({
      uid: 0,
      mode: 0o100600,
    });
    expect(readdirSync(lab.stateDirectory)).not.toContain('host-restore.json');
  });

  it("belongs to a user namespace of the agent's user, and goes on without one that is not its own", async () => {
    const inside = async () => {
      const entered = await run(
        'nsenter',
        '--preserve-credentials',
        `--user=${userNamespaceFile}`,
        '--net=/run/netns/tributary',
        ...['sh', '-c', 'ip link show uplink0 && readlink /proc/self/ns/user'],
      );
      expect(entered.exitCode, entered.text).toBe(0);
      return entered.text.split('\n').at(-1);
    };
    const own = await inside();
    expect(own).toMatch(/^user:/);
    expect(own).not.toBe((await run('readlink', '/proc/self/ns/user')).text);
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(await inside()).toBe(own);
    // Made again by hand, it is the host's.
    await loseNamespace();
    await run('ip', 'netns', 'add', 'tributary');
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(existsSync(dirname(userNamespaceFile))).toBe(false);
    await loseNamespace();
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(await inside()).toMatch(/^user:/);
  });

  it('is made again with the system calls that its unit has', async () => {
    const inUnit = (...command: readonly string[]) => run('python3', asUnit, ...command);
    expect(await inUnit('chown', 'root', '/run/tributary-netns')).toMatchObject({ exitCode: 1 });
    expect(await inUnit(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    await loseNamespace();
    expect(await inUnit(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(existsSync(userNamespaceFile)).toBe(true);
  });

  it("is linked by a wire that carries no more than the host's uplink", async () => {
    for (const mtu of ['1400', '1500']) {
      await run('ip', 'link', 'set', 'lan0', 'mtu', mtu);
      expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
      const inside = await run(
        'ip',
        'netns',
        'exec',
        'tributary',
        'ip',
        '-o',
        'link',
        'show',
        'uplink0',
      );
      expect(inside.text).toContain(`mtu ${mtu} `);
    }
  });

  it('lets a card forward only as long as it is the way out, and then for the namespace alone', async () => {
    const upBy = async (name: string) => {
      expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
      const forwarding = await run(
        'sh',
        '-c',
        'cd /proc/sys/net/ipv4/conf; cat lan0/forwarding other0/forwarding',
      );
      const rules = await run('nft', 'list', 'chain', 'inet', 'tributary_host', 'forward');
      const ways = await run('sh', '-c', 'ip rule show table 51819; ip route show table 51819');
      return { name, forwarding: forwarding.text, rules: rules.text, ways: ways.text };
    };
    const routed = 'iifname { "lan0", "other0" } oifname != "tributary-host" drop';
    const inDeadEnd = [
      '5179:\tfrom all iif lan0 lookup 51819',
      '5179:\tfrom all iif other0 lookup 51819',
      'blackhole default',
      '198.18.213.0/30 dev tributary-host scope link',
    ];
    const lead = (ways: string) => ways.split('\n').map((line) => line.trim());
    await run(
      'sh',
      '-c',
      `ip link add other0 type veth peer name other1; ip address add 192.168.79.2/24 dev other0
      ip link set other0 up; ip link set other1 up`,
    );
    try {
      await run(
        'ip',
        'route',
        'add',
        '0.0.0.0/0',
        'via',
        '192.168.79.1',
        'metric',
        '1',
        'onlink',
        'dev',
        'other0',
      );
      await run('ip', 'route', 'delete', 'default', 'dev', 'lan0');
      const { ways, ...state } = await upBy('other0');
      expect(state).toMatchObject({
        forwarding: '0\n1',
        rules: expect.stringContaining(routed),
      });
      expect(lead(ways)).toEqual(inDeadEnd);
    } finally {
      await run('ip', 'route', 'delete', 'default', 'dev', 'other0');
      await run('ip', 'route', 'add', 'default', 'via', addresses.homeLan);
    }
    expect(await upBy('lan0')).toMatchObject({
      forwarding: '1\n0',
      rules: expect.stringContaining(routed),
    });
    await run('ip', 'link', 'delete', 'other0');
  });

  it('routes nothing for its neighbours, also with its whole ruleset flushed and rules of its owner', async () => {
    const far = '192.168.79.9';
    const countRouted = async () => {
      const { text } = await run('awk', '/^Ip: [0-9]/{print $7}', '/proc/net/snmp');
      return Number(text);
    };
    /** How many of a neighbour's packets the host routes. */
    const tryNeighbour = async () => {
      const before = await countRouted();
      await lab.network.run('nas', 'sh', '-c', `ping -c1 -W1 ${far} || true`);
      // The host itself is reached as ever.
      await lab.network.run('nas', 'ping', '-c1', '-W5', addresses.device);
      return (await countRouted()) - before;
    };
    await run(
      'sh',
      '-ec',
      `ip link add other0 type veth peer name other1; ip address add 192.168.79.2/24 dev other0
      ip link set other0 up; ip link set other1 up
      ip neighbour add ${far} lladdr 02:00:00:00:79:09 dev other0`,
    );
    await lab.network.run('nas', 'ip', 'route', 'add', `${far}/32`, 'via', addresses.device);
    const ownRule = ['priority', '50', 'lookup', 'main', 'suppress_prefixlength', '0'];
    try {
      expect(await tryNeighbour()).toBe(0);
      await run('nft', 'flush', 'ruleset');
      expect(await tryNeighbour()).toBe(0);
      await run('ip', 'rule', 'add', ...ownRule);
      expect(await tryNeighbour()).toBe(1);
      expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
      await run('nft', 'flush', 'ruleset');
      expect(await tryNeighbour()).toBe(0);
      // Without the rule they are routed.
      await run('ip', 'rule', 'delete', 'iif', 'lan0', 'lookup', '51819');
      expect(await tryNeighbour()).toBe(1);
    } finally {
      await run('ip', 'rule', 'delete', ...ownRule);
      await run('ip', 'link', 'delete', 'other0');
      await lab.network.run('nas', 'ip', 'route', 'delete', `${far}/32`);
      expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    }
    expect(await probeFromInside(addresses.internet, webPort)).toBe('reached');
    expect((await run('ip', 'rule')).text).toContain('5179:\tfrom all iif lan0 lookup 51819');
  });

  it('lets another program forward that begins to, at the next look', async () => {
    const everywhere = 'net.ipv4.conf.all.forwarding';
    const listRules = async () => (await run('ip', 'rule')).text;
    const [, look = ''] =
      /^Environment="LOOK=(.*)"$/m.exec(
        readFileSync(
          join(import.meta.dirname, '../../systemd/tributary-netns-check.service'),
          'utf8',
        ),
      ) ?? [];
    const seen = async () => (await run('sh', '-c', look)).text;
    const before = await seen();
    await run('sysctl', '-w', `${everywhere}=1`);
    try {
      expect(await seen()).not.toBe(before);
      expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
      expect(await listRules()).not.toContain('51819');
    } finally {
      await run('sysctl', '-w', `${everywhere}=0`);
    }
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(await listRules()).toContain('iif lan0 lookup 51819');
  });

  it("keeps the home's public address from the namespace, once the router has told it", async () => {
    const withoutAsking = ['env', 'TRIBUTARY_GATEWAY_PUBLIC_ADDRESS_ASK_ROUTER=false'];
    expect(await probeFromInside(outside, webPort)).toBe('refused');
    // What was learnt stays where nobody is asked; without it the address is reached.
    expect(await run(...withoutAsking, ...program('namespace', 'up'))).toMatchObject({
      exitCode: 0,
    });
    expect(await probeFromInside(outside, webPort)).toBe('refused');
    await run('sh', '-c', ': >/run/tributary-outside');
    expect(await run(...withoutAsking, ...program('namespace', 'up'))).toMatchObject({
      exitCode: 0,
    });
    expect(await probeFromInside(outside, webPort)).toBe('reached');
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(await probeFromInside(outside, webPort)).toBe('refused');
    expect((await run('cat', '/run/tributary-outside')).text).toBe(
      `${outside}\nrouter 192.168.77.1`,
    );
  });

  it('lets the agent reach a service that is given by a private address, and nothing else there', async () => {
    const service = new URL(lab.baseUrl);
    const bare = ['env', 'TRIBUTARY_GATEWAY_ALLOW_DESTINATIONS=192.0.2.0/24'];
    expect(await run(...bare, ...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(await probeFromInside(service.hostname, Number(service.port))).toBe('reached');
    expect(await probeFromInside(service.hostname, Number(service.port) + 1)).toBe('refused');
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
  });

  const listOnHost = async () => {
    const { text } = await run('conntrack', '-L', '-s', '198.18.213.2', '-p', 'tcp');
    // Third in a line are the seconds that are left, fourth is the state.
    return text.split('\n').flatMap((line) => {
      const [, , seconds, state] = line.split(/ +/);
      return state === 'ESTABLISHED' ? [{ line, seconds: Number(seconds) }] : [];
    });
  };

  it("keeps consumers' connections on the host no longer than in the namespace, also after it is repeated", async () => {
    const script = (port: number) => `const socket = require('node:net').connect({
        host: '${addresses.internet}', port: ${webPort}, localPort: ${port} });
      socket.on('connect', () => console.log('open'));`;
    const open = (port: number) =>
      startProcess({
        argv: [
          ...onHost('ip', 'netns', 'exec', 'tributary', process.execPath, '-e', script(port)),
        ] as [string, ...string[]],
      });
    const held = [open(16_400), open(40_000)];
    const secondsOf = async (port: number) =>
      (await listOnHost()).find(({ line }) => line.includes(` sport=${port} `))?.seconds;
    try {
      for (const one of held) await one.waitForLine((line) => line === 'open');
      expect(await secondsOf(16_400)).toBeLessThanOrEqual(3600);
      expect(await secondsOf(40_000)).toBeGreaterThan(3600);
      expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
      const { text } = await run('nft', 'list', 'table', 'inet', 'tributary_host');
      // In a table that was deleted and made again, the set is empty.
      expect(text).toMatch(/set consumers_\d+ \{[^}]*elements/);
      expect(await secondsOf(16_400)).toBeLessThanOrEqual(3600);
    } finally {
      for (const one of held) one.kill();
    }
  });

  describe('asks the kernel for the way out', () => {
    const home = `via ${addresses.homeLan}`;
    // The host's address on each line: what leaves by it is translated to that.
    const lines: Readonly<Record<string, string>> = {
      lan0: addresses.device,
      line2: '192.168.77.12',
    };
    const farHosts = [addresses.internet, addresses.proxy, '192.0.2.77', '198.51.100.1'];
    const restore = `ip rule delete priority 99; ip rule delete priority 100; ip route flush table 100
      ip route delete 0.0.0.0/1; ip route delete 128.0.0.0/1
      while ip route delete default; do :; done; ip route add default ${home}`;

    // A second line of the home's, with an address of its own.
    beforeAll(async () => {
      const netns = lab.network.netns('home');
      await run('ip', 'link', 'add', 'line2', 'type', 'veth', 'peer', 'port3', 'netns', netns);
      await run('sh', '-c', `ip address add ${lines.line2}/24 dev line2; ip link set line2 up`);
      await lab.network.run('home', 'ip', 'link', 'set', 'port3', 'master', 'lan0', 'up');
    });
    afterAll(async () => {
      await run('ip', 'link', 'delete', 'line2');
      await run(...program('namespace', 'up'));
    });

    /** The addresses that a datagram to each far host was translated to. */
    const leaveFrom = async (port: number) => {
      const send = `const socket = require('node:dgram').createSocket('udp4');
        const far = ${JSON.stringify(farHosts)};
        socket.bind(${port}, () => Promise.all(far.map((host) =>
          new Promise((done) => socket.send('?', 5353, host, done)))).then(() => socket.close()));`;
      await run('ip', 'netns', 'exec', 'tributary', process.execPath, '-e', send);
      const { text } = await run('conntrack', '-L', '-s', '198.18.213.2', '-p', 'udp');
      const seen = text.matchAll(/ dst=(\S+) sport=(\d+) dport=5353 .* dst=(192\.168\.77\.\d+) /g);
      const found = new Map(
        [...seen].flatMap(([, host, from, address]) =>
          Number(from) === port ? [[host, address]] : [],
        ),
      );
      return farHosts.map((host) => found.get(host) ?? 'nowhere');
    };

    it.each<[string, number, readonly string[], string, string?]>([
      [
        'has several next hops',
        21_010,
        ['lan0', 'line2'],
        `ip route replace default nexthop ${home} dev lan0 nexthop ${home} dev line2`,
      ],
      [
        'follows a rule to another table',
        21_020,
        ['line2'],
        `ip route add default ${home} dev line2 table 100; ip rule add priority 100 lookup 100
        ip rule add priority 99 lookup main suppress_prefixlength 0; ip route delete default`,
      ],
      [
        'has a VPN over the two halves of the Internet',
        21_030,
        ['line2'],
        `ip route add 0.0.0.0/1 ${home} dev line2; ip route add 128.0.0.0/1 ${home} dev line2`,
      ],
      [
        'has two lines, of which its owner names one',
        21_040,
        ['line2'],
        `ip route add default ${home} dev line2 metric 600`,
        'TRIBUTARY_GATEWAY_UPLINK=line2',
      ],
    ])('where the host %s', async (_, port, uplinks, routes, named = 'NOTHING=') => {
      try {
        await run('sh', '-c', routes);
        const { text } = await run('env', named, ...program('namespace', 'up'));
        const uplink = /leads out by (\w+)/.exec(text)?.[1] ?? text;
        expect(uplinks).toContain(uplink);
        expect(await leaveFrom(port)).toEqual(farHosts.map(() => lines[uplink]));
      } finally {
        await run('sh', '-c', restore);
        expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
      }
      expect((await run('ip', 'rule')).text).not.toContain('tributary-host');
    });

    it('and is closed where a rule forbids it, and where the named line is not there', async () => {
      const upWith = async (named = 'NOTHING=') =>
        (await run('env', named, ...program('namespace', 'up'))).text;
      await run('ip', 'rule', 'add', 'priority', '100', 'prohibit');
      expect(await upWith()).toContain('closed: this host has no way to the Internet over IPv4');
      await run('ip', 'rule', 'delete', 'priority', '100');
      expect(await upWith('TRIBUTARY_GATEWAY_UPLINK=line9')).toContain(
        'closed: gateway.uplink names line9',
      );
      expect(await upWith()).toContain('leads out by lan0');
    });

    it('and is closed, and says why, where the host has IPv6 alone', async () => {
      const alone =
        'ip route delete default; ip address add fd77::9/64 dev lan0 nodad; ip route add default via fd77::1';
      try {
        await run('sh', '-c', alone);
        const { text } = await run(...program('namespace', 'up'));
        expect(text).toMatch(/closed: this host has no way .* IPv4: it has IPv6 alone/);
      } finally {
        await run('sh', '-c', `ip route delete default via fd77::1; ${restore}`);
        await run('ip', 'address', 'delete', 'fd77::9/64', 'dev', 'lan0');
        expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
      }
    });
  });

  it('forgets what left untranslated while its rules were gone', async () => {
    const listUntranslated = async () =>
      (await run('conntrack', '-L', '-s', '198.18.213.2', '-q', '198.18.213.2', '-p', 'udp')).text;
    for (const chain of ['from_namespace', 'translate', 'departure'])
      await run('nft', 'flush', 'chain', 'inet', 'tributary_host', chain);
    const send = `const socket = require('node:dgram').createSocket('udp4');
      socket.send('?', 51820, '${addresses.internet}', () => socket.close());`;
    await run('ip', 'netns', 'exec', 'tributary', process.execPath, '-e', send);
    expect(await listUntranslated()).toContain('dport=51820');
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(await listUntranslated()).not.toContain('dport=51820');
  });

  it('holds an agent that provides', async () => {
    agent = startProcess({
      argv: [...onHost('ip', 'netns', 'exec', 'tributary'), ...program('run')] as [
        string,
        ...string[],
      ],
      env: { TRIBUTARY_AUTH_CODE: lab.authCode, RUNTIME_DIRECTORY: lab.stateDirectory },
    });
    const status = await lab.waitForStatus((current) => current.phase === 'providing');
    expect(status.gateway.uplink).toBe('uplink0');
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
  });

  it('is not taken from under an agent that runs in it', async () => {
    const { exitCode, text } = await run(...program('namespace', 'down'));
    expect([exitCode, text]).toEqual([75, expect.stringContaining('another agent')]);
    expect((await lab.status()).phase).toBe('providing');
  });

  it.each(told)('lets the agent tell $name', async ({ host }) => {
    await receivers[told.findIndex((one) => one.host === host)]?.waitForLine(
      (line) => line === 'heard',
    );
  });

  it.each([
    ['another port of the NAS', addresses.nas, webPort, 'home'],
    ['another port of the host', addresses.device, webPort, 'home'],
    ["the webhook's port on the router", addresses.homeLan, hookPort, 'nas'],
  ] as const)('keeps %s from the agent itself', async (_name, address, port, neighbour) => {
    expect(await lab.probeFrom(neighbour, address, port)).toBe('reached');
    expect(await probeFromInside(address, port)).toBe('refused');
    for (const one of told) expect(await probeFromInside(one.address, one.port)).toBe('reached');
  });

  it('keeps a blocked port of the Internet from the agent itself too', async ({
    onTestFinished,
  }) => {
    const mail = await startReceiver(lab, 'internet', addresses.internet, 25);
    onTestFinished(() => mail.kill());
    expect(await lab.probeFrom('home', addresses.internet, 25)).toBe('reached');
    expect(await probeFromInside(addresses.internet, 25)).toBe('refused');
    expect(await probeFromInside(addresses.internet, webPort)).toBe('reached');
  });

  it('keeps a range of blocked ports from what the namespace translates, and lets the agent pass', async () => {
    const connectFrom = (localPort: number) =>
      connectFromInside(localPort, addresses.internet, webPort);
    expect(await connectFrom(20_000)).toBe('reached');
    const blocking = ['env', `TRIBUTARY_GATEWAY_BLOCKED_PORTS=${webPort - 1}-${webPort + 1}`];
    expect(await run(...blocking, ...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(await connectFrom(20_001)).toBe('refused');
    expect(await connectFrom(40_001)).toBe('reached');
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    expect(await connectFrom(20_002)).toBe('reached');
  });

  const outOfReach = [
    ['the NAS', addresses.nas, webPort],
    ['the host', addresses.device, webPort],
    ['the router', addresses.homeLan, hookPort],
    ["the wire's other end", '198.18.213.1', webPort],
    ...told.map(({ name, address, port }) => [name, address, port] as const),
  ] as const;

  it("keeps the home's public address out of reach, as the host told the agent", async () => {
    await expect.poll(() => lab.probe(outside, webPort)).toBe('refused');
    const { text } = await run(
      'ip',
      'netns',
      'exec',
      'tributary',
      'nft',
      'list',
      'set',
      'inet',
      'tributary',
      'own4',
    );
    expect(text).toContain(outside);
    expect((await lab.status()).reasons.map(({ code }) => code)).not.toContain('outside-unknown');
  });

  it.each(outOfReach)('keeps %s out of reach', async (_name, address, port) => {
    expect(await lab.probe(address, port)).toBe('refused');
  });

  it("keeps them out of reach by the host's side of the fence alone", async ({
    onTestFinished,
  }) => {
    // Held still, or it would put its own side back.
    agent.kill('SIGSTOP');
    onTestFinished(() => agent.kill('SIGCONT'));
    await run('ip', 'netns', 'exec', 'tributary', 'nft', 'flush', 'ruleset');
    await run('ip', 'netns', 'exec', 'tributary', 'ip', 'rule', 'delete', 'priority', '5181');
    // What comes untranslated would be answered: nothing but the host's table is left in its way.
    await run('ip', 'route', 'add', consumers, 'via', '198.18.213.2');
    await lab.network.run('nas', 'ip', 'route', 'add', consumers, 'via', addresses.device);
    for (const [, address, port] of outOfReach)
      expect(await lab.probe(address, port)).toBe('refused');
    // Without its refusals they are reached. Its translation stays: the tunnel itself needs it.
    for (const chain of ['origin', 'from_namespace', 'to_namespace', 'input', 'departure'])
      await run('nft', 'flush', 'chain', 'inet', 'tributary_host', chain);
    // What is answered comes back untranslated, which the routes of its own refuse too.
    await run('ip', 'rule', 'delete', 'iif', 'lan0', 'lookup', '51819');
    for (const { address, port } of told) expect(await lab.probe(address, port)).toBe('reached');
    await run('ip', 'route', 'delete', consumers);
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
  });

  it('ends a connection at once that began with an address which the host has no more', async () => {
    const give = (address: string, gone: string) =>
      run(
        'sh',
        '-c',
        `ip address delete ${gone}/24 dev lan0; ip address add ${address}/24 dev lan0
        ip route add default via ${addresses.homeLan}`,
      );
    expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    // A request that never ends.
    const script = `const socket = require('node:net').connect(${webPort}, '${addresses.internet}');
      socket.write('GET / HTTP/1.1\\r\\nX: '); setInterval(() => socket.write('x'), 200);
      socket.on('connect', () => console.log('connected')).on('error', ({ code }) => { console.log(code); process.exit(); });`;
    const running = startProcess({
      argv: [...onHost('ip', 'netns', 'exec', 'tributary', process.execPath, '-e', script)],
    });
    await running.waitForLine((line) => line === 'connected');
    try {
      await give('192.168.77.11', addresses.device);
      expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
      expect(await running.waitForLine((line) => line.startsWith('E'))).toBe('ECONNRESET');
    } finally {
      running.kill();
      await give(addresses.device, '192.168.77.11');
      expect(await run(...program('namespace', 'up'))).toMatchObject({ exitCode: 0 });
    }
  });

  it("asks the host to forget consumers' connections where nothing is shared any more, and no others", async () => {
    const listOf = async (kind: 'consumers' | 'all') =>
      (
        await run(
          ...['conntrack', '-L', '-s', '198.18.213.2'],
          ...(kind === 'consumers' ? forgetArguments.slice(-2) : []),
        )
      ).text
        .split('\n')
        .filter((line) => line.includes('src=198.18.213.2'));
    const service = `dst=${new URL(lab.baseUrl).hostname} `;
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    const [consumers, all] = [await listOf('consumers'), await listOf('all')];
    expect(consumers.join()).toContain(`dst=${addresses.internet} `);
    expect(consumers.join()).not.toContain(service);
    expect(all.join()).toContain(service);
    const request = join(lab.stateDirectory, requestName);
    await rm(request, { force: true });
    await lab.runCommand('provide', 'none');
    await expect.poll(() => existsSync(request)).toBe(true);
    expect(await run(...forgetInUnit)).toMatchObject({ exitCode: 0 });
    expect(await listOf('consumers')).toEqual([]);
    expect((await listOf('all')).join()).toContain(service);
    // Nothing is left, which is no failure to the unit.
    expect(await run(...forgetInUnit)).toMatchObject({ exitCode: 1 });
  });

  // Where /etc could not be made private (enter.sh says so), the host's own would be compared with
  // itself while tests run.
  it.skipIf(!existsSync('/run/etc/upper'))(
    'leaves the host as it was when it is taken down',
    async () => {
      agent.kill();
      expect(await agent.exited).toBe(0);
      expect(await run(...program('namespace', 'down'))).toMatchObject({ exitCode: 0 });
      expect(await run(...program('namespace', 'down'))).toMatchObject({ exitCode: 0 });
      expect(await snapshot()).toBe(before);
      expect(existsSync('/run/tributary-netns')).toBe(false);
      expect(existsSync(dirname(userNamespaceFile))).toBe(false);
    },
  );
});

// In this file, because all that is in the lab shares the one name that the namespace has.
describeForwardPolicies();
