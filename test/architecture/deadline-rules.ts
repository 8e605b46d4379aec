import type { Rule } from './rule.ts';

/**
 * Every place where something is waited for with an end to the patience: how often the file does
 * it, how long it waits, and why no shorter and no longer. Where the system tries again on its own,
 * the patience is longer than that: a shorter one would never see the next try succeed.
 */
const deadlines: readonly {
  readonly path: string;
  readonly times: number;
  readonly patience: string;
  readonly why: string;
}[] = [
  {
    path: 'src/lib/connect-in-turn.ts',
    times: 1,
    patience: '35 s for a name, then the time that its caller gives for a connection',
    why: 'the system asks three name servers twice, five seconds each time',
  },
  {
    path: 'src/lib/kept-names.ts',
    times: 1,
    patience:
      '2 s for a name whose last good addresses are known; without them, the end of the lookup',
    why: 'the addresses are used meanwhile, and a late answer by the next lookup',
  },
  {
    path: 'src/system/datagram.ts',
    times: 1,
    patience: '35 s for a name',
    why: 'as for a connection: the third name server may be the one that works',
  },
  {
    path: 'src/source/wireguard/endpoint-turns.ts',
    times: 1,
    patience: '1 s',
    why: 'a pass renews the permit, and a late answer of the name servers is used by the next one',
  },
  {
    path: 'src/system/line-probe.ts',
    times: 1,
    patience: '1 s',
    why: 'a probe measures delay: one that takes longer says only that the line is full',
  },
  {
    path: 'src/agent/pass/meter.ts',
    times: 1,
    patience: '500 ms',
    why: 'whoever asks for figures gets the last ones, and the reading goes on',
  },
  {
    path: 'src/system/seldom-writer.ts',
    times: 3,
    patience: '1 s while the agent runs, 6 s for the last write of its end',
    why: 'a dying card takes minutes for a write or a look, and the permit has to be renewed meanwhile; it goes on. The end may not hang on it either, and the closed table has the count',
  },
  {
    path: 'src/system/restore-file.ts',
    times: 1,
    patience: '1 s',
    why: 'the settings are restored; a disk that still names them has them restored once more',
  },
  {
    path: 'src/agent/end-agent.ts',
    times: 1,
    patience: '3 to 8 s for a step that may wait for a disk',
    why: 'the rest has to be taken down within the 25 s of the whole end; a command takes seconds',
  },
  {
    path: 'src/system/patient-writer.ts',
    times: 1,
    patience: '1 s',
    why: 'as for a count: the write goes on, and what was told last is written next',
  },
  {
    path: 'src/system/wg.ts',
    times: 1,
    patience: '2 s',
    why: 'wireguard-go on this machine answers in milliseconds; one that was stopped never does',
  },
  {
    path: 'src/status/socket-client.ts',
    times: 1,
    patience: '5 s to read, 20 s to change, or what its caller gives',
    why: 'an agent on a slow board answers in a second; a change waits for a whole pass',
  },
  {
    path: 'src/status/stale-socket.ts',
    times: 1,
    patience: '2 s',
    why: 'a socket of this machine is taken at once, or there is nobody',
  },
  {
    path: 'src/namespace/up.ts',
    times: 1,
    patience: '10 s',
    why: 'the public address only adds to what is denied, and `namespace up` must not hang without it',
  },
  {
    path: 'src/doctor/open-host.ts',
    times: 1,
    patience: '43 s',
    why: 'a name, and then the slowest of the ways to learn the public address',
  },
  {
    path: 'src/doctor/probe-network.ts',
    times: 1,
    patience: '500 ms',
    why: 'an ICMP error of the next hop comes at once; silence is the good answer',
  },
  {
    path: 'src/doctor/run-checks.ts',
    times: 1,
    patience: '47 s for a check',
    why: 'longer than all that one check waits for, so that each tells its own cause',
  },
  {
    path: 'src/connect/engine/session.ts',
    times: 2,
    patience: '2 s for the last words',
    why: 'a stop has to end; what is not said then is found by the platform itself',
  },
  {
    path: 'src/connect/engine/keeper.ts',
    times: 1,
    patience: 'until the last words are over',
    why: 'its caller gives the signal: the 2 s of a stop, in session.ts',
  },
  {
    path: 'src/cli/present/watch.ts',
    times: 1,
    patience: 'until Ctrl-C',
    why: 'not a deadline: the owner ends it',
  },
  {
    path: 'src/reference-service/platform/socket-server.ts',
    times: 1,
    patience: '1 s',
    why: 'a socket with a bad token is closed a moment after it opened, as in production',
  },
  {
    path: 'src/reference-service/consumer/run-consumer.ts',
    times: 1,
    patience: 'its farewell',
    why: 'a trial has to end; what is still on its way then is not counted',
  },
  {
    path: 'src/reference-service/proxy-protocols.ts',
    times: 1,
    patience: '10 s for a connection',
    why: 'the client is told and tries again; the system has sent its request four times by then',
  },
  {
    path: 'src/reference-service/wireguard.ts',
    times: 1,
    patience: '1 s',
    why: 'a device that was just made is there within milliseconds',
  },
  {
    path: 'src/reference-service/commands/wait-for-stop.ts',
    times: 1,
    patience: 'until a signal',
    why: 'not a deadline: whichever signal comes first ends the service',
  },
];

/** What ends a patience: a race, or a signal that comes by the clock. */
const ending = /\bPromise\.race\(|\bAbortSignal\.timeout\(/g;

export const deadlineRules: readonly Rule[] = [
  {
    name: 'every patience has its length and its reason in one table',
    reason:
      'a deadline that is shorter than the next try of the system gives up what was about to work; read test/architecture/deadline-rules.ts before you add one',
    find: (modules) => {
      const known = new Map(deadlines.map(({ path, times }) => [path, times]));
      const found = modules
        .filter(({ path }) => path.startsWith('src/'))
        .map(({ path, code }) => ({ path, times: [...code.matchAll(ending)].length }));
      const there = new Set(found.map(({ path }) => path));
      return [
        ...found
          .filter(({ path, times }) => times !== (known.get(path) ?? 0))
          .map(({ path, times }) => `${path} waits with an end ${times} times`),
        ...[...known.keys()]
          .filter((path) => there.size > 20 && !there.has(path))
          .map((path) => `${path} is in the table and nowhere else`),
      ];
    },
    broken: [
      { 'src/agent/new.ts': 'export const wait = () => Promise.race([one(), other()]);' },
      { 'src/agent/new.ts': 'export const late = () => AbortSignal.timeout(5000);' },
      { 'src/status/stale-socket.ts': 'export const none = 1;' },
    ],
  },
];
