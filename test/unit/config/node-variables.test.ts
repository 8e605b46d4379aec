import { expect, test } from 'vitest';
import { findNodeProblems, findProxyWarnings } from '../../../src/config/node-variables.ts';

const say = (environment: NodeJS.ProcessEnv) =>
  findNodeProblems(environment).map(
    ({ place, text }) => `${place}: ${text.replace(/^(found "[^"]*").*/, '$1')}`,
  );

test.each([
  [
    'a certificate that nobody checks',
    { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    'NODE_TLS_REJECT_UNAUTHORIZED: found "0"',
  ],
  [
    'another authority',
    { NODE_EXTRA_CA_CERTS: '/tmp/ca.pem' },
    'NODE_EXTRA_CA_CERTS: found "/tmp/ca.pem"',
  ],
  ["the system's authorities", { NODE_USE_SYSTEM_CA: '1' }, 'NODE_USE_SYSTEM_CA: found "1"'],
  [
    'a log of everything',
    { NODE_DEBUG: 'tls,child_process' },
    'NODE_DEBUG: found "tls,child_process"',
  ],
  [
    'code from elsewhere',
    { NODE_COMPILE_CACHE: '/tmp/cache' },
    'NODE_COMPILE_CACHE: found "/tmp/cache"',
  ],
  [
    "OpenSSL's own configuration",
    { OPENSSL_CONF: '/tmp/openssl.cnf' },
    'OPENSSL_CONF: found "/tmp/openssl.cnf"',
  ],
  [
    'a module before ours',
    { NODE_OPTIONS: '--require=/tmp/a.cjs' },
    'NODE_OPTIONS: found "--require"',
  ],
  [
    'the keys of TLS',
    { NODE_OPTIONS: '--no-warnings --tls-keylog=/tmp/k' },
    'NODE_OPTIONS: found "--tls-keylog"',
  ],
  ['a debugger', { NODE_OPTIONS: '--inspect' }, 'NODE_OPTIONS: found "--inspect"'],
  [
    'the memory in a file',
    { NODE_OPTIONS: '--heapsnapshot_signal=SIGUSR2' },
    'NODE_OPTIONS: found "--heapsnapshot-signal"',
  ],
])('%s is refused for an agent', (_claim, environment, expected) => {
  expect(say(environment)).toEqual([expected]);
});

test('a Node that may not make code is refused, and told what takes that right', () => {
  expect(findNodeProblems({}, {})).toEqual([
    { path: [], place: 'node', text: expect.stringMatching(/--jitless, .*MemoryDenyWriteExecute/) },
  ]);
});

test('variables that weaken nothing are allowed', () => {
  const harmless = {
    NODE_OPTIONS: ' --max-old-space-size=96  --max_semi_space_size=1 --disable-sigusr1 ',
    NODE_TLS_REJECT_UNAUTHORIZED: '1',
    NODE_USE_SYSTEM_CA: '0',
    NODE_EXTRA_CA_CERTS: '',
    NODE_ENV: 'production',
    NODE_VERSION: '24.0.0',
  };
  expect(say(harmless)).toEqual([]);
});

test('a proxy is said not to be used', () => {
  const environment = {
    HTTPS_PROXY: 'http://u:s3cret@proxy.example:3128',
    all_proxy: 'socks5://p',
    NO_PROXY: 'a',
    http_proxy: '',
  };
  expect(findProxyWarnings(environment)).toEqual([
    'HTTPS_PROXY: ignored: the agent connects to the service directly',
    'all_proxy: ignored: the agent connects to the service directly',
  ]);
});
