import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Lab, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { waitUntil } from '../patience.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

/** Opens so many TCP and UDP connections to the Internet, and keeps them. */
const opener = (count: number) => `
  const { connect } = require('node:net');
  const udp = () => require('node:dgram').createSocket('udp4');
  let opened = 0;
  const note = () => ++opened === ${count} && console.log('opened');
  for (let index = 0; index < ${count}; index += 1) {
    connect(${webPort}, '${addresses.internet}', note);
    udp().send('x', 9000 + index, '${addresses.internet}');
  }
  setInterval(() => undefined, 1000);`;
/** A datagram each two milliseconds, which nothing answers and no congestion delays. */
const sender = `
  const socket = require('node:dgram').createSocket('udp4');
  setInterval(() => socket.send(Buffer.alloc(600), 9, '${addresses.internet}'), 2);`;
/** What other programs of a shared namespace have: translated, of their own mark or none. */
const insertForeign = (mark: string) =>
  `-I -p tcp -s 172.17.0.2 -d ${addresses.internet} --sport 10${mark.length} --dport 443 --state ESTABLISHED -u SEEN_REPLY,ASSURED -t 300 -n ${addresses.device}`;

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('closing', () => {
  let lab: Lab;
  let agent: LabProcess;
  const running: LabProcess[] = [];
  const onDevice = (command: string) =>
    lab.network.run('device', ...(command.split(' ') as [string, ...string[]]));
  const start = (host: 'consumer' | 'device', script: string) => {
    const started = startProcess({ argv: lab.network.on(host, process.execPath, '-e', script) });
    running.push(started);
    return started;
  };
  /** What the kernel remembers, by who opened it. */
  const list = async () => {
    const lines = (await onDevice('conntrack -L')).split('\n');
    const of = (source: string) => lines.filter((line) => line.includes(` src=${source} dst=`));
    return {
      consumers: of(addresses.consumer),
      // The agent's own connections to the service come and go meanwhile.
      own: of(addresses.device).filter(
        (line) => line.includes('ESTABLISHED') && line.includes(`dst=${addresses.internet}`),
      ),
      tunnel: of(addresses.device).filter(
        (line) => line.startsWith('udp') && line.includes(`dst=${addresses.proxy}`),
      ),
      foreign: of('172.17.0.2'),
    };
  };
  /** Datagrams that came to a host of the Internet, where nobody listens for them. */
  const countHeard = async () => {
    const table = await lab.network.run('internet', 'cat', '/proc/net/snmp');
    const [names = [], counts = []] = [...table.matchAll(/^Udp: (.*)$/gm)].map(([, line]) =>
      (line ?? '').split(' '),
    );
    return Number(counts[names.indexOf('NoPorts')]);
  };
  const provide = async (mode: 'none' | 'auto') => {
    await lab.runCommand('provide', mode);
    await lab.waitForStatus(({ phase }) => phase === (mode === 'none' ? 'idle' : 'providing'));
  };
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'close',
      profile: 'production',
    });
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    // The other end has its routes a second after the handshake.
    await waitUntil(async () =>
      expect(await lab.probe(addresses.internet, webPort)).toBe('reached'),
    );
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(async () => {
    for (const own of running) own.kill('SIGKILL');
    await lab?.remove();
  });

  it('need not come for the tunnel to be heard: who comes long after its last word is served', async () => {
    await onDevice('conntrack --flush');
    expect(await lab.probe(addresses.internet, webPort)).toBe('reached');
  });

  it('makes the kernel forget what consumers had open, and nothing else', async () => {
    for (const own of ['', ' -m 7', ' -m 0x53000000'])
      await onDevice(`conntrack ${insertForeign(own)}${own}`);
    const opened = [start('consumer', opener(60)), start('device', opener(10))];
    for (const each of opened) await each.waitForLine((line) => line === 'opened');
    const count = async () => {
      const entries = Object.entries(await list());
      return Object.fromEntries(entries.map(([whose, lines]) => [whose, lines.length]));
    };
    const others = { own: 10, tunnel: 1, foreign: 3 };
    // The last datagrams may still be on their way.
    await expect.poll(async () => (await count()).consumers).toBeGreaterThanOrEqual(120);
    await expect.poll(count).toMatchObject(others);
    await provide('none');
    expect(await count()).toEqual({ consumers: 0, ...others });
    await provide('auto');
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
  });

  it('by hand lets no packet through once the command has returned', async () => {
    start('consumer', sender);
    for (let round = 0; round < 6; round += 1) {
      const before = await countHeard();
      await expect.poll(countHeard).toBeGreaterThan(before + 10);
      await lab.runCommand('provide', 'none');
      const heard = await countHeard();
      await sleep(300);
      expect(await countHeard()).toBe(heard);
      await provide('auto');
    }
  });
});
