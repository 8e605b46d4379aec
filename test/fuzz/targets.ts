import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { configSchema } from '../../src/config/schema.ts';
import { parseYaml } from '../../src/config/yaml-text.ts';
import { toRuleset } from '../../src/gateway/ruleset.ts';
import { judgePhase, type PhaseReport } from '../../src/health/phase.ts';
import { createRegistrationFiles } from '../../src/identity/registration-files.ts';
import { isInAny, parsePrefix } from '../../src/lib/addresses.ts';
import { toHostName } from '../../src/lib/host-name.ts';
import { toPlainText } from '../../src/lib/plain-text.ts';
import { parsePortRange } from '../../src/lib/ports.ts';
import { Secret } from '../../src/lib/secret.ts';
import { parseDurationSeconds } from '../../src/lib/units.ts';
import { findIptablesChain, findOwnRules } from '../../src/namespace/let-through.ts';
import { chooseNameServers } from '../../src/namespace/name-servers.ts';
import { parseLine, splitLines } from '../../src/report/ledger-line.ts';
import { judgeAnswer } from '../../src/service/judge.ts';
import { readClaims } from '../../src/service/jwt.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { readRetryAfterSeconds } from '../../src/service/retry-after.ts';
import { parseIssuedTunnel } from '../../src/source/wireguard/parse.ts';
import { parseAddressList } from '../../src/system/address-list.ts';
import { dialects, findAnswer } from '../../src/system/dialects.ts';
import type { Exec } from '../../src/system/exec.ts';
import { observeInterfaces, observeNetwork } from '../../src/system/ip.ts';
import { createIpNews } from '../../src/system/kernel-news.ts';
import { decodeNatPmpAnswer, decodePcpAnswer } from '../../src/system/nat-pmp.ts';
import { observeNftOutline, observeNftTable } from '../../src/system/nft.ts';
import { decodeStunAnswer } from '../../src/system/stun.ts';
import { findConnectionService, readExternalAddress, toPlaceOn } from '../../src/system/upnp.ts';
import { observeWireGuard } from '../../src/system/wg.ts';
import { now } from '../../tools/docs/sample-facts.ts';
import { arbitraryPolicy } from '../unit/gateway/policy-fixture.ts';
import { arbitraryFacts } from '../unit/health/arbitrary-facts.ts';
import { createIssued } from '../unit/source/wireguard/issued-fixture.ts';
import { connectTargets } from './connect-targets.ts';
import { answers, jsonOfIp, jsonOfNft, tunnelSamples, wholeIdentity } from './samples.ts';

/** A reader of what others wrote. */
export interface Target {
  readonly name: string;
  /** What it takes. */
  readonly samples: readonly string[];
  /** May throw a TributaryError, and nothing else. */
  readonly run: (text: string) => unknown;
  /** What is wrong with what it returned; undefined: nothing. */
  readonly judge?: (result: unknown, text: string) => string | undefined;
}

/** Every program says the text. */
const saying =
  (text: string): Exec =>
  async () =>
    text;

/** A terminal would act on it. */
const isUnseen = (text: string) => /[\p{Cc}\p{Cf}]/u.test(text);

const folder = mkdtempSync(join(tmpdir(), 'tributary-fuzz-'));
process.once('exit', removeFolder);

/** For tests, when they are over: their runner may end its processes without an exit. */
export function removeFolder(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Through the real file: what is read is what a card gave back. */
async function readState(text: string) {
  const files = createRegistrationFiles(folder, () => undefined);
  writeFileSync(files.identity.path, text);
  return files.identity.peek();
}

/** Any value of a kind, such that the same text gives the same one. */
const toValue = <T>(values: fc.Arbitrary<T>, text: string) =>
  fc.sample(values, {
    numRuns: 1,
    seed: Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) | 0, 7),
  })[0] as T;

export const targets: readonly Target[] = [
  ...connectTargets,
  {
    name: 'the phase, of any facts',
    samples: ['1', '2'],
    run: (text) => judgePhase(toValue(arbitraryFacts, text), now),
    judge: (report) => {
      const { phase, reasons } = report as PhaseReport;
      if (phase === 'blocked' && reasons.length === 0) return 'blocked without a reason';
      return reasons.every(({ action, message }) => action !== '' && message !== '')
        ? undefined
        : 'a reason without words';
    },
  },
  {
    name: 'the ruleset, of any policy',
    samples: ['1', '2'],
    run: (text) => toRuleset(toValue(arbitraryPolicy, text)),
  },
  {
    name: 'issued tunnel',
    samples: tunnelSamples,
    run: (text) => parseIssuedTunnel(createIssued(text), { isServiceOnLoopback: false }),
    judge: (result) =>
      /[\n\r;`$]/.test(JSON.stringify({ ...(result as object), privateKey: undefined }))
        ? 'what it returns could end a command'
        : undefined,
  },
  ...(Object.keys(operations) as OperationName[]).map(
    (name): Target => ({
      name: `answer of ${name}`,
      samples: [
        answers[name] ?? '{}',
        '{"error": {"message": "no", "client_limit_exceeded": true}}',
        '{"list": [{"a": 1}], "count": 3}',
      ],
      run: (text) =>
        judgeAnswer({
          name,
          answer: { status: 200, headers: { 'content-type': 'application/json' }, text },
          secrets: [new Secret('a'.repeat(20))],
          nowMs: 0,
        }),
    }),
  ),
  {
    name: 'JWT claims',
    samples: ['e30.eyJleHAiOjE4MDAwMDAwMDAsImNsaWVudF9pZCI6IjEifQ.x', 'e30..'],
    run: (text) => readClaims(new Secret(text || 'x')),
  },
  {
    name: 'Retry-After',
    samples: ['120', 'Wed, 21 Oct 2026 07:28:00 GMT', '-1'],
    run: (text) => readRetryAfterSeconds(text, 1.8e12),
    judge: (seconds) =>
      seconds === undefined || (Number(seconds) >= 0 && Number(seconds) <= 86_400)
        ? undefined
        : `${seconds} s`,
  },
  {
    name: 'interfaces (ip)',
    samples: [jsonOfIp, '[]', '[{}]'],
    run: (text) => observeInterfaces(saying(text)),
  },
  {
    name: 'routes and rules (ip)',
    samples: [jsonOfIp, '[]'],
    run: (text) => observeNetwork(saying(text)),
  },
  {
    name: 'a line of ip monitor',
    samples: [
      '2: eth0    inet 10.0.0.1/8 scope global eth0',
      'Deleted default via 10.0.0.1 dev eth0',
    ],
    run: (text) => createIpNews()(text),
  },
  {
    name: 'a table (nft)',
    samples: [jsonOfNft, '{"nftables": []}'],
    run: (text) => observeNftTable(saying(text), 'tributary'),
  },
  {
    name: 'the outline (nft)',
    samples: [jsonOfNft],
    run: (text) => observeNftOutline(saying(text), 'tributary'),
  },
  {
    name: 'wg show',
    samples: [
      'PRIVATE=\tPUBLIC=\t51820\toff\nPEER=\t(none)\t1.2.3.4:51820\t10.0.0.0/8,::/0\t123\t456\t789\t25\n',
      'PRIVATE=\tPUBLIC=\t51820\toff\nPEER=\t(none)\t(none)\t(none)\t0\t0\t0\toff\n',
    ],
    run: (text) => observeWireGuard(saying(text), 'wg0'),
  },
  {
    name: 'an answer of a kept program',
    samples: [
      'Object "marker-1" is unknown, try "ip help".\nCommand failed -:2\n',
      'Error: syntax error, unexpected string\nmarker-1\n^^^^^^^^\n',
    ],
    run: (text) =>
      Object.values(dialects).map((dialect) =>
        findAnswer({ out: text, err: text }, 'marker-1', dialect),
      ),
  },
  {
    name: 'configuration',
    samples: [
      'service:\n  base_url: https://service.example\nprovide: { mode: friends, cap: { bytes: 500 GB } }\n',
      'gateway:\n  blocked_ports: [25, 6881-6889, web-only]\n  deny_destinations: [1.2.3.4, 10.0.0.0/8]\n',
      'provide:\n  schedule:\n    - { cron: "0 8 * * *", mode: none }\n',
    ],
    run: async (text) => configSchema.safeParse((await parseYaml(text, 'tributary.yaml')).tree),
  },
  {
    name: 'an address list',
    samples: ['# list\n1.2.3.4\n10.0.0.0/8 # comment\n2001:db8::/32\n1.1.1.1 - 1.1.1.9\n'],
    run: (text) => parseAddressList(text, 'list'),
  },
  {
    name: "the ledger's lines",
    samples: ['\n{"start":"2026-05-04T13:00Z","sequence":1,"check":"00000000"}'],
    run: (text) => splitLines(text).map(parseLine),
  },
  {
    name: 'a state file',
    samples: [wholeIdentity, `{"version":2,${wholeIdentity.slice(13)}`, ''],
    run: readState,
  },
  {
    name: 'NAT-PMP',
    samples: ['\0\u0080\0\0\0\0\0\u0001\u0001\u0002\u0003\u0004', `\u0002\u0081${'\0'.repeat(58)}`],
    run: (text) => [
      decodeNatPmpAnswer(Buffer.from(text, 'latin1')),
      decodePcpAnswer(Buffer.from(text, 'latin1'), Buffer.alloc(12)),
    ],
  },
  {
    name: 'STUN',
    samples: [`\u0001\u0001\0\u000c!\u0012\u00a4B${'\0'.repeat(12)}\0\u0020\0\u0008\0\u0001abcdef`],
    run: (text) => decodeStunAnswer(Buffer.from(text, 'latin1'), Buffer.alloc(12)),
  },
  {
    name: 'UPnP',
    samples: [
      '<service><serviceType>urn:schemas-upnp-org:service:WANIPConnection:1</serviceType><controlURL>/ctl</controlURL></service>',
      '<NewExternalIPAddress>1.2.3.4</NewExternalIPAddress>',
      'http://192.168.1.1:5000/x.xml',
    ],
    run: (text) => [
      findConnectionService(text),
      readExternalAddress(text),
      toPlaceOn('192.168.1.1', text),
    ],
  },
  {
    name: 'iptables -S',
    samples: [
      '-P FORWARD DROP\n-N DOCKER-USER\n-A FORWARD -j DOCKER-USER\n-A DOCKER-USER -i tributary-host -m comment --comment tributary -j ACCEPT\n',
    ],
    run: (text) => [findIptablesChain(text), findOwnRules(text)],
  },
  {
    name: 'resolv.conf',
    samples: ['nameserver 192.168.1.1\nnameserver ::1\nsearch lan\n'],
    run: (text) => chooseNameServers(text, text),
  },
  {
    name: 'a prefix',
    samples: ['10.0.0.0/8', '2001:db8::/32', '1.2.3.4'],
    run: (text) => [parsePrefix(text), isInAny(text, ['10.0.0.0/8', '::/0'])],
  },
  { name: 'ports', samples: ['25', '6881-6889', 'udp/1900'], run: parsePortRange },
  { name: 'a duration', samples: ['90s', '2h', '1d', '15 min'], run: parseDurationSeconds },
  {
    name: 'a host name',
    samples: ['raspberrypi.local:9469', '[::1]:80', 'tributary'],
    run: toHostName,
  },
  {
    name: 'a text to show',
    samples: ['plain', '\u001b[31mred'],
    run: toPlainText,
    judge: (shown) => (isUnseen(String(shown)) ? 'it holds control characters' : undefined),
  },
];
