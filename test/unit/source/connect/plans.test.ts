import { describe, expect, test } from 'vitest';
import { chooseEngineUser } from '../../../../src/source/connect/engine-user.ts';
import { planLaunch } from '../../../../src/source/connect/launch.ts';
import { findPlatform } from '../../../../src/source/connect/platform-urls.ts';
import { planPool } from '../../../../src/source/connect/pool.ts';
import { toEngineNodeOptions } from '../../../../src/source/connect/protocol.ts';
import { provideWishes } from '../../../../src/source/connect/provide-wish.ts';

describe('the addresses of a pool', () => {
  test.each([
    {
      prefixes: ['100.126.0.0/16', 'fd5e:b4c2:91d7::/112'],
      consumers: ['100.126.0.0/16', 'fd5e:b4c2:91d7::/112'],
      device: ['100.126.0.1', 'fd5e:b4c2:91d7::1'],
      first: ['100.126.0.2', 'fd5e:b4c2:91d7::2'],
      counts: [65_533, 65_533],
    },
    {
      prefixes: ['10.9.8.7/28', 'FD00:0:0:1::AB/64'],
      consumers: ['10.9.8.0/28', 'fd00:0:0:1::/64'],
      device: ['10.9.8.1', 'fd00:0:0:1::1'],
      first: ['10.9.8.2', 'fd00:0:0:1::2'],
      counts: [13, 1_048_576],
    },
  ])('$prefixes', ({ prefixes: [ipv4 = '', ipv6 = ''], ...expected }) => {
    const { consumers, device, pool } = planPool(ipv4, ipv6);
    expect({
      consumers,
      device,
      first: [pool.ipv4.first, pool.ipv6.first],
      counts: [pool.ipv4.count, pool.ipv6.count],
    }).toEqual(expected);
  });
});

describe('where the platform is', () => {
  const find = (baseUrl: string, profile: 'documented' | 'production', urls: string[] = []) =>
    findPlatform({ baseUrl, profile, urls });
  test.each([
    ['at the service', 'https://service.example', 'documented', 'wss://service.example/'],
    ['at its port', 'http://198.51.100.2:8080/v1', 'documented', 'ws://198.51.100.2:8080/'],
    ['beside it', 'https://api.service.example', 'production', 'wss://connect.service.example/'],
    ['not beside it', 'https://api.service.example', 'documented', 'wss://api.service.example/'],
    ['at no other name', 'https://apiary.example', 'production', 'wss://apiary.example/'],
  ] as const)('%s: %s, %s', (_, baseUrl, profile, url) => {
    expect(find(baseUrl, profile)).toEqual({
      urls: [url],
      controlUrl: `${baseUrl}/connect/control`,
    });
  });

  test('where the owner says', () => {
    const urls = ['wss://one.example', 'wss://two.example'];
    expect(find('https://api.service.example', 'production', urls).urls).toEqual(urls);
  });
});

describe('who the engine runs as', () => {
  const passwd =
    'root:x:0:0:root:/root:/bin/sh\ntributary-connect:x:990:989::/nonexistent:/bin/false\n';
  const everyone = '         0          0 4294967295\n';
  const base = {
    status: 'CapInh:\t0000000000000000\nCapEff:\t000001ffffffffff\n',
    uidMap: everyone,
    gidMap: everyone,
    passwd,
    own: { uid: 0, gid: 0, name: 'root' },
  };
  const other = { uid: 990, gid: 989, name: 'tributary-connect', isOther: true };
  const same = { ...base.own, isOther: false };
  test.each([
    ['its own user', base, other],
    [
      'the agent’s where there is no such user',
      { ...base, passwd: 'root:x:0:0::/:/bin/sh\n' },
      same,
    ],
    [
      'the agent’s where only the network may be changed',
      { ...base, status: 'CapEff:\t0000000000001000\n' },
      same,
    ],
    [
      'the agent’s where the group cannot be changed',
      { ...base, status: 'CapEff:\t0000000000000080\n' },
      same,
    ],
    ['the agent’s where that user does not exist here', { ...base, uidMap: '0 1000 1\n' }, same],
    ['the agent’s where that group does not exist here', { ...base, gidMap: '0 1000 1\n' }, same],
    ['the agent’s without any facts', { ...base, status: '', uidMap: '', passwd: '' }, same],
  ])('%s', (_, facts, expected) => {
    expect(chooseEngineUser(facts)).toEqual(expected);
  });
});

describe('how the engine is started', () => {
  const command = ['/opt/node', '--permission', '/usr/lib/tributary/engine.cjs'];
  const user = { uid: 0, gid: 0, name: 'root', isOther: false };
  const base = { command, user, device: 'tributary-c0', architecture: 'arm64' } as const;
  test('ends with the agent, without capabilities and without a way to new ones', () => {
    const { program, args = [] } = planLaunch(base) ?? {};
    expect(program).toBe('setpriv');
    expect(args.slice(0, 6)).toEqual([
      '--pdeathsig',
      'KILL',
      '--no-new-privs',
      '--inh-caps=-all',
      '--ambient-caps=-all',
      '--',
    ]);
    expect(args.slice(9, 13)).toEqual(['91', '167', expect.any(String), 'tributary-c0']);
    expect(args.slice(-4)).toEqual(['--', ...command]);
  });

  test('with no more of the file system than the system’s programs, its names, and its own file', () => {
    const args = planLaunch(base)?.args ?? [];
    expect(args.slice(13, args.lastIndexOf('--'))).toEqual([
      'run:/usr',
      'run:/lib',
      'run:/lib32',
      'run:/lib64',
      'run:/opt/node',
      'read:/etc',
      'read:/run/systemd/resolve',
      'read:/run/resolvconf',
      'read:/run/NetworkManager',
      'read:/proc',
      'read:/sys',
      'read:/usr/lib/tributary/engine.cjs',
    ]);
  });

  test('as its own user, in no group but its own', () => {
    const other = { ...user, uid: 990, gid: 989, isOther: true };
    const args = planLaunch({ ...base, user: other })?.args;
    expect(args?.slice(5, 9)).toEqual(['--reuid=990', '--regid=989', '--clear-groups', '--']);
  });

  test('not at all where it would keep its capabilities', () => {
    expect(planLaunch({ ...base, architecture: 'mips' })).toBeUndefined();
  });

  test('with the right to the network where Node asks for one, and to none of its ways to files', () => {
    const file = '/usr/lib/tributary/engine.cjs';
    const today = toEngineNodeOptions(file, new Set());
    expect(today).toContain('--permission');
    expect(today.filter((option) => option.startsWith('--allow-'))).toEqual([
      `--allow-fs-read=${file}`,
    ]);
    expect(today).toContain('--no-experimental-sqlite');
    expect(toEngineNodeOptions(file, new Set(['--allow-net', '--allow-ffi']))).toEqual(
      today.toSpliced(4, 0, '--allow-net'),
    );
  });
});

test('nobody is offered more than the owner’s mode says', () => {
  expect(provideWishes).toEqual({
    none: 'none',
    network: 'network',
    friends: 'friends',
    public: 'public',
    stream: 'public',
    default: 'network',
  });
});
