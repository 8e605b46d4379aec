import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { credentialNames } from '../../src/config/credential-names.ts';
import { forgetArguments } from '../../src/namespace/forget.ts';
import { requestName } from '../../src/system/host-request.ts';

const read = (name: string) =>
  readFileSync(new URL(`../../systemd/${name}`, import.meta.url), 'utf8').split('\n');

const rootServices = ['tributary-netns.service', 'tributary-netns-check.service'];
const services = ['tributary.service', 'user/tributary.service', ...rootServices];

test('each secret can be a file in /etc/tributary, and none has to be', () => {
  const lines = read('tributary.service').filter((line) => /^(Load|Set)Credential=/.test(line));
  expect(lines).toEqual(
    Object.values(credentialNames)
      .map(({ systemd }) => systemd)
      .sort()
      .flatMap((name) => [
        `LoadCredential=${name}:/etc/tributary/${name}`,
        `SetCredential=${name}:\\n`,
      ]),
  );
});

test('nobody is ever given up: neither unit of the agent has a limit to its starts', () => {
  for (const name of ['tributary.service', 'user/tributary.service']) {
    expect(read(name)).toEqual(
      expect.arrayContaining(['StartLimitIntervalSec=0', 'Restart=always']),
    );
  }
});

test('nor has what starts with each start of the service', () => {
  const names = ['tributary.path', 'tributary.socket', 'tributary-netns.service'];
  for (const name of [
    ...names,
    'tributary-right.service',
    'tributary-page.service',
    'tributary-netns-watch.service',
    'tributary-netns-check.path',
    'tributary-netns-forget.path',
    'tributary-netns-forget.service',
  ])
    expect(read(name), name).toContain('StartLimitIntervalSec=0');
});

test('no socket and no path comes after a service and, by default, before all of them: systemd would leave one of them out at a boot', () => {
  const early = readdirSync(new URL('../../systemd/', import.meta.url)).filter((name) =>
    /\.(socket|path|timer)$/.test(name),
  );
  const late = early.filter((name) =>
    read(name).some((line) => /^(After|Requires|Requisite|BindsTo)=.*\.service/.test(line)),
  );
  expect(late).toEqual([
    'tributary-netns-check.path',
    'tributary-netns-forget.path',
    'tributary.socket',
  ]);
  for (const name of late)
    expect(read(name), name).toEqual(
      expect.arrayContaining([
        'DefaultDependencies=no',
        expect.stringMatching(/^After=sysinit\.target /),
        'Conflicts=shutdown.target',
        'Before=shutdown.target',
      ]),
    );
});

test('no process grows until the machine has no memory left, however it is run: the same ceiling for all', () => {
  const containers = ['../Dockerfile', '../config/compose.yaml', '../config/kubernetes.yaml'].map(
    (name) => read(name).join(' '),
  );
  const ceilings = containers.map(
    (text) => /(?:--memory |mem_limit: |limits: \{ memory: )(\d+)(?:m|Mi)\b/.exec(text)?.[1],
  );
  expect(ceilings).toEqual(['256', '256', '256']);
  for (const name of services)
    expect(read(name), name).toEqual(expect.arrayContaining(['MemoryMax=256M', 'TasksMax=256']));
});

test('the engine can give up its capabilities and the file system: nothing after the refused calls takes that away', () => {
  const filters = read('tributary.service').filter((line) => line.startsWith('SystemCallFilter='));
  expect(filters.slice(-2)).toEqual([
    'SystemCallFilter=capset',
    'SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self',
  ]);
});

test('the agent has no right on the host, and inside the one over its network, which being user 0 does not add to', () => {
  const lines = read('tributary.service');
  expect(lines).toEqual(
    expect.arrayContaining(['CapabilityBoundingSet=', 'User=tributary', 'NoNewPrivileges=yes']),
  );
  expect(lines.filter((line) => line.startsWith('AmbientCapabilities='))).toEqual([]);
  const rights = lines.find((line) => line.trim().startsWith('setpriv')) ?? '';
  expect(rights.trim().split(/[ ;]+/)).toEqual([
    'setpriv',
    '--securebits=+noroot,+noroot_locked',
    '--bounding-set=-all,+net_admin',
    '--inh-caps=-all,+net_admin',
    '--ambient-caps=-all,+net_admin',
    '\\',
  ]);
  expect(read('sysusers/tributary.conf').filter((line) => line.startsWith('u '))).toEqual([
    'u tributary - "Tributary agent"',
  ]);
});

test("what the agent asks of the host's table is what `run` does by hand, and says nowhere where consumers went", () => {
  const service = read('tributary-netns-forget.service');
  expect(service).toEqual(
    expect.arrayContaining([
      `ExecStart=/usr/sbin/conntrack ${forgetArguments.join(' ')}`,
      // A file that is removed, as at each stop of the agent, asks for nothing.
      `ConditionPathExists=/run/tributary/${requestName}`,
      'StandardOutput=null',
      'StandardError=null',
    ]),
  );
  expect(read('tributary-netns-forget.path')).toContain(
    `PathChanged=/run/tributary/${requestName}`,
  );
  expect(read('tributary.service')).toContain('RuntimeDirectory=tributary');
  expect(read('tributary-netns.service').join(' ')).toContain('tributary-netns-forget.path');
});

test("root's units read nothing of the agent's own folder, which most of them may not open", () => {
  const all = readdirSync(new URL('../../systemd/', import.meta.url)).filter((name) =>
    name.endsWith('.service'),
  );
  const asking = all.filter((name) => {
    const lines = read(name);
    const isRoot = lines.every((line) => !line.startsWith('User='));
    return isRoot && lines.some((line) => /^Exec.*\btributary (config|namespace) /.test(line));
  });
  expect(asking).toEqual([
    'tributary-netns-check.service',
    'tributary-netns.service',
    'tributary-page.service',
  ]);
  for (const name of asking)
    expect(read(name), name).toContain('Environment=TRIBUTARY_STATE_DIR=/run/tributary-netns');
});

test('no crash writes keys to a disk', () => {
  for (const name of services) expect(read(name), name).toContain('LimitCORE=0');
});

test("root's units have the same few powers, and no private view of the file system that would hide the namespace", () => {
  const [own = [], check = []] = rootServices.map((name) => {
    const lines = read(name);
    return lines.slice(lines.findIndex((line) => line.startsWith('CapabilityBoundingSet=')));
  });
  expect(own).toEqual(check);
  expect(own).toEqual(
    expect.arrayContaining(['NoNewPrivileges=yes', 'RestrictNamespaces=net mnt user']),
  );
  const hiding =
    /^(Protect(System|Home|Kernel\w+|ControlGroups|Proc)|Private\w+|ProcSubset|(ReadWrite|ReadOnly|Inaccessible|Exec|NoExec)Paths|BindPaths|BindReadOnlyPaths|TemporaryFileSystem|DynamicUser|MountFlags|Root\w+)=/;
  for (const name of rootServices)
    expect(
      read(name).filter((line) => hiding.test(line)),
      name,
    ).toEqual([]);
});
