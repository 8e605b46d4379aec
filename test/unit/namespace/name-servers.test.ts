import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  chooseNameServers,
  chooseOwnServer,
  warnOfNoServer,
} from '../../../src/namespace/name-servers.ts';
import { readLeases } from '../../../src/system/name-servers.ts';

describe('name servers in the namespace', () => {
  test.each<[string, string, string | undefined, readonly string[]]>([
    [
      'those of the host',
      'nameserver 192.168.1.1\nnameserver 9.9.9.9\n',
      undefined,
      ['192.168.1.1', '9.9.9.9'],
    ],
    [
      'without comments and options',
      '# nameserver 1.1.1.1\n;x\noptions ndots:1\n\tnameserver  9.9.9.9 # x\n',
      undefined,
      ['9.9.9.9'],
    ],
    ["the stub's upstream", 'nameserver 127.0.0.53\n', 'nameserver 192.168.1.1\n', ['192.168.1.1']],
    ['none but a stub', 'nameserver 127.0.0.53\n', undefined, []],
    ['none but stubs', 'nameserver ::1\n', 'nameserver 127.0.0.1\n', []],
    [
      'what is beside a stub',
      'nameserver 127.0.0.53\nnameserver 9.9.9.9\n',
      'nameserver 1.1.1.1\n',
      ['9.9.9.9'],
    ],
    [
      'none of IPv6, which the namespace does not have',
      'nameserver 2606:4700:4700::1111\nnameserver 9.9.9.9\n',
      undefined,
      ['9.9.9.9'],
    ],
    [
      'those of the lease beside IPv6 alone',
      'nameserver fd00::1\n',
      'DNS=192.168.1.1\n',
      ['192.168.1.1'],
    ],
    [
      "each of a lease, beside a Pi-hole's loopback",
      'nameserver 127.0.0.1\n',
      '# This is private data. Do not parse.\nADDRESS=192.168.1.10\nDNS=192.168.1.1 127.0.0.1 9.9.9.9\nNTP=192.168.1.1\n',
      ['192.168.1.1', '9.9.9.9'],
    ],
    ['named once', 'nameserver 9.9.9.9\nnameserver 9.9.9.9\n', undefined, ['9.9.9.9']],
    ['not the host by its other name', 'nameserver 0.0.0.0\n', undefined, []],
    ['no link-local one, which means nothing there', 'nameserver fe80::1%eth0\n', undefined, []],
    ['no names', 'nameserver dns.example.net\nnameserver $(reboot)\n', undefined, []],
    ['nothing from nothing', '', undefined, []],
  ])('are %s', (_, own, upstream, servers) => {
    expect(chooseNameServers(own, upstream)).toEqual(servers);
  });
});

describe("the host's own name server", () => {
  const link = '198.18.213.1';
  const lan = '192.168.1.10';

  test.each<[string, readonly string[], readonly string[]]>([
    ['at the link, where it listens at every address', ['127.0.0.1', '0.0.0.0'], [link]],
    ['at the link, where it listens there', [lan, link], [link]],
    ['in the home network, where it listens there', ['127.0.0.1', lan], [lan]],
    ['not asked, where it listens to the host alone', ['127.0.0.1', '127.0.0.53'], []],
    ['not asked, where it serves other guests', ['192.168.122.1'], []],
    ['not asked, where there is none', [], []],
  ])('is %s', (_, listening, servers) => {
    expect(chooseOwnServer([link, lan], listening)).toEqual(servers);
  });
});

test('the owner is warned only where there is none', () => {
  expect(warnOfNoServer(['192.168.1.1'])).toBeUndefined();
  expect(warnOfNoServer([])).toMatch(/no name server that it can reach.*resolv\.conf.*router/);
});

test('leases are read from files and folders, and what is missing says nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-leases-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const leases = join(folder, 'leases');
  await mkdir(leases);
  await writeFile(join(leases, '3'), 'DNS=192.168.2.1\n');
  await writeFile(join(leases, '2'), 'ADDRESS=192.168.1.10');
  const file = join(folder, 'resolv.conf');
  await writeFile(file, 'nameserver 9.9.9.9\n');
  const texts = await readLeases([join(folder, 'none'), leases, file]);
  expect(texts).toEqual(['', 'ADDRESS=192.168.1.10\nDNS=192.168.2.1\n', 'nameserver 9.9.9.9\n']);
  expect(chooseNameServers('nameserver 127.0.0.1\n', ...texts)).toEqual(['192.168.2.1']);
});
