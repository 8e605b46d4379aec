import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { countClients, createTestLab, signIn, stopAgent } from './support/test-lab.ts';

/** A machine as the program sees it: its id, and whether systemd runs there. */
interface Seen {
  readonly machineId: string;
  readonly isContainer?: boolean;
}
const here = { machineId: 'a'.repeat(32) };
const there = { machineId: 'b'.repeat(32) };
const elsewhere = { machineId: 'c'.repeat(32) };

const isProviding = ({ phase }: StatusDocument) => phase === 'providing';
const hasMoved = ({ phase, reasons: [reason] }: StatusDocument) =>
  phase === 'blocked' && reason?.code === 'identity-moved';

// Namespaces are needed, and a machine id to put another one over; test/global-setup.ts says the
// first aloud.
describe.skipIf(!isInsideLab() || !existsSync('/etc/machine-id'))('a card that was copied', () => {
  let lab: Lab;
  let agent: LabProcess;
  let clientId: string | null;

  beforeAll(async () => {
    lab = await createTestLab({ id: 'moved', profile: 'documented' });
    await signIn(lab);
    agent = start(here, 'run');
    clientId = (await lab.waitForStatus(isProviding)).client.id;
    await stopAgent(agent);
  });
  afterAll(async () => {
    if (agent !== undefined) await stopAgent(agent);
    await lab?.remove();
  });

  /** A command of the program on the device, on that machine. */
  function start({ machineId, isContainer = false }: Seen, ...args: readonly string[]): LabProcess {
    const [ip, ...words] = lab.command(...args);
    const place = words.slice(0, 3);
    const show = [
      `printf '%s\\n' ${machineId} >${lab.directory}/${machineId}`,
      `mount --bind ${lab.directory}/${machineId} /etc/machine-id`,
      'mkdir -p /run/systemd && mount -t tmpfs tmpfs /run/systemd',
      isContainer ? 'true' : 'mkdir /run/systemd/system',
      'exec "$@"',
    ];
    const own = ['unshare', '--mount', 'sh', '-c', show.join(' && '), 'sh', ...words.slice(3)];
    return startProcess({ argv: [ip, ...place, ...own] });
  }

  async function run(seen: Seen, ...args: readonly string[]) {
    const running = start(seen, ...args);
    return { exitCode: await running.exited, text: running.lines.join('\n') };
  }

  it('provides nothing before its owner has said what it is; status, health and doctor say so', async () => {
    agent = start(there, 'run');
    const { reasons, client, gateway } = await lab.waitForStatus(hasMoved);
    expect([client.id, gateway.open]).toEqual([null, false]);
    expect(reasons[0]?.action).toMatch(/sudo tributary device keep.*sudo tributary device new/);
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
    const { checks } = JSON.parse((await run(there, 'doctor', '--json')).text);
    const failed = checks.filter(({ verdict }: { verdict: string }) => verdict === 'fail');
    expect(failed).toMatchObject([
      { id: 'disk', found: 'this device was registered on another machine' },
    ]);
    expect((await run(there, 'status')).text).toContain('sudo tributary device keep');
  });

  it('goes on as the same device by one command, while the agent runs', async () => {
    expect(await run(there, 'device', 'keep')).toEqual({
      exitCode: 0,
      text: 'This device keeps its registration.',
    });
    expect((await lab.waitForStatus(isProviding)).client.id).toBe(clientId);
    expect(await countClients(lab)).toBe(1);
    await stopAgent(agent);
  });

  it('is a device of its own by one command, and keeps what it was', async () => {
    agent = start(elsewhere, 'run');
    await lab.waitForStatus(hasMoved);
    expect(await run(elsewhere, 'device', 'new')).toEqual({
      exitCode: 0,
      text: 'This device will register as a new one.',
    });
    const status = await lab.waitForStatus(isProviding);
    expect(status.client.id).not.toBe(clientId);
    expect(await countClients(lab)).toBe(2);
    expect(
      (await readdir(lab.stateDirectory)).filter((name) => name.includes('.left-')),
    ).toHaveLength(2);
  });

  it.each(['keep', 'new'])('that has not moved is not changed by %s', async (word) => {
    const { exitCode, text } = await run(elsewhere, 'device', word);
    expect([exitCode, text]).toEqual([64, expect.stringContaining('has not moved')]);
  });

  it('asks nothing in a container, whatever its machine id is', async () => {
    await stopAgent(agent);
    agent = start({ ...here, isContainer: true }, 'run');
    await lab.waitForStatus(isProviding);
    expect(await countClients(lab)).toBe(2);
  });
});
