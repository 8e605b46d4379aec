import { describe, expect, test } from 'vitest';
import { observeHost } from '../../../src/data-path/observe.ts';
import { planChanges } from '../../../src/data-path/plan.ts';
import { parseIssuedTunnel } from '../../../src/source/wireguard/parse.ts';
import { createIssued, renderIssuedText } from '../source/wireguard/issued-fixture.ts';
import { createDesired, createWorld, tunnelInterface } from './data-path-world.ts';

type World = ReturnType<typeof createWorld>;

const plan = async ({ host }: World, desired = createDesired()) =>
  planChanges(host, desired, {
    ...(await observeHost(host.exec, {
      devices: [tunnelInterface],
      isDenying: false,
      readListeningPorts: async () => [],
    })),
    isIpv6On: false,
  });

/** What the programs of a pass were given, in the form of a plan. */
async function applied(world: World) {
  world.commands.length = 0;
  await world.pass(createDesired());
  const changes = world.commands.filter(({ args }) => !/^(?:-j|show)$/.test(args[0] ?? ''));
  const given = (program: string, word: string) =>
    changes.filter((command) => command.program === program && command.args.includes(word));
  return {
    // The first transaction is without the entrance of a tunnel that is not there yet.
    firewall: (given('nft', '-f').at(-1)?.input ?? '').trimEnd().split('\n'),
    tunnel: changes
      .filter(({ program, args }) => program !== 'nft' && !args.includes('-batch'))
      .map(({ program, args }) =>
        [program, ...args].join(' ').replace(/\S*\/wireguard/, 'wireguard'),
      ),
    routing: given('ip', '-batch').flatMap(({ args, input = '' }) =>
      input
        .trimEnd()
        .split('\n')
        .map((line) => `ip ${args[0]} ${line}`),
    ),
  };
}

describe('a plan', () => {
  test('is the very text that a pass then applies, and changes nothing itself', async () => {
    const world = createWorld();
    const before = world.machine.print();
    const { firewall, tunnel, routing, differences } = await plan(world);
    expect(world.machine.print()).toBe(before);
    const given = await applied(world);
    expect(given.firewall.length).toBeGreaterThan(50);
    // The second transaction of a first pass finds sets that the first one made, and lets them go
    // on counting.
    const isMade = (line: string) => !/^flush (?:set|map)/.test(line);
    // Each loading chooses another mark for the connections that it judges.
    const listMade = (lines: readonly string[]) =>
      lines.filter(isMade).map((line) => line.replaceAll(/0x54[89a-f]\w{5}/g, 'a mark'));
    expect(listMade(firewall)).toEqual(listMade(given.firewall));
    expect(tunnel.filter((line) => !line.startsWith('  '))).toEqual(given.tunnel);
    expect([...routing].sort()).toEqual([...given.routing].sort());
    expect(differences).toMatchObject({ firewall: ['+ the whole table'], tunnel, routing });
  });

  test('has the same text and no difference where everything is in place', async () => {
    const world = createWorld();
    const first = await plan(world);
    await world.pass(createDesired());
    const second = await plan(world);
    expect(second).toMatchObject({
      tunnel: first.tunnel,
      settings: first.settings,
      routing: first.routing,
    });
    expect(second.differences).toEqual({ firewall: [], tunnel: [], settings: [], routing: [] });
  });

  test('names what is missing, and that alone', async () => {
    const world = createWorld();
    await world.pass(createDesired());
    const input = `route delete default dev ${tunnelInterface} table 51820\n`;
    await world.host.exec({
      program: 'ip',
      args: ['-4', '-batch', '-'],
      input,
      doing: 'a stranger',
    });
    await world.host.exec({
      program: 'ip',
      args: ['link', 'set', tunnelInterface, 'mtu', '1200'],
      doing: 'a stranger',
    });
    const rules = 'flush table inet tributary\n';
    await world.host.exec({ program: 'nft', args: ['-f', '-'], input: rules, doing: 'a stranger' });
    expect((await plan(world)).differences).toEqual({
      firewall: ['+ the table: its rules, sets or cap are others'],
      tunnel: [`ip link set ${tunnelInterface} mtu 1420`],
      settings: [],
      routing: [`ip -4 route replace default dev ${tunnelInterface} table 51820`],
    });
  });

  test('shows no key', async () => {
    const spec = parseIssuedTunnel(createIssued(renderIssuedText()), {
      isServiceOnLoopback: false,
    });
    const text = JSON.stringify(await plan(createWorld()));
    expect(text).toContain('PrivateKey = [secret]');
    expect(text).not.toContain(spec.privateKey.reveal());
  });

  test('has neither tunnel nor routes without a registration, and names an address that prevents a tunnel', async () => {
    const absent = { sources: [{ kind: 'absent', device: tunnelInterface }] } as const;
    const nothing = await plan(createWorld(), createDesired(absent));
    expect(nothing).toMatchObject({ tunnel: [], settings: [], routing: [], collision: undefined });
    expect(nothing.firewall.length).toBeGreaterThan(50);
    const colliding = createDesired({}, { Address: 'Address = 192.168.1.77' });
    expect(await plan(createWorld(), colliding)).toMatchObject({
      tunnel: [],
      routing: [],
      collision: '192.168.1.77',
    });
  });
});
