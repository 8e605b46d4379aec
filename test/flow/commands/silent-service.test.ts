import { describe, expect, onTestFinished, test } from 'vitest';
import { personWaits } from '../../../src/cli/frame/patience.ts';
import { type Behaviour, reset, sendJson, stall, startNastyService } from '../nasty-service.ts';
import { createOwner, goldenNow } from './command-world.ts';
import { listServiceLines } from './service-lines.ts';

/** Signing in has deadlines of its own, and asks several times. */
const { setup: _, ...lines } = listServiceLines('shed');
const rows = Object.entries(lines);

/** A hundredth of what a person waits; the pause between two tries is as long as always. */
const hastened = {
  tries: personWaits.tries,
  fetchLimits: { connectMs: 100, headersMs: 130, bodyMs: 130, callMs: 5000 },
};

async function runAgainst(behave: Behaviour, line: readonly string[]) {
  const service = await startNastyService(behave);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const owner = await createOwner(service.baseUrl, 'documented', 'a.token.here', {
    nowMs: goldenNow,
  });
  const ended = await owner.run(line, { standardInput: 'in the dark', patience: hastened });
  return { ...ended, asked: service.seen.length };
}

test('two silent tries and the wait between them are over within half a minute', () => {
  const { tries, fetchLimits } = personWaits;
  const longestPauseMs = 1000;
  for (const silentMs of [fetchLimits.headersMs, fetchLimits.bodyMs])
    expect(tries * silentMs + (tries - 1) * longestPauseMs).toBeLessThanOrEqual(30_000);
  expect(fetchLimits.connectMs + fetchLimits.headersMs).toBeLessThanOrEqual(30_000);
  expect(fetchLimits.callMs).toBeLessThanOrEqual(30_000);
});

describe('of a service that takes each request and never answers', () => {
  test.each(rows)('%s says what was tried, and ends', async (name, words) => {
    const { exitCode, stdout, stderr, asked } = await runAgainst(stall, [
      ...name.split(' '),
      ...words,
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 69, stdout: '' });
    expect(stderr).toMatch(/no (whole )?answer .*within 0\.\d+ s/);
    // Several reads may go out at once; what makes something is never sent again.
    expect(stderr.includes('it was tried twice')).toBe(!makes.has(name));
    expect(asked).toBeGreaterThan(makes.has(name) ? 0 : 1);
  });

  const makes = new Set([
    'account reset-password',
    'account upgrade',
    'account set-password',
    'auth code',
    'device add',
    'device pair',
  ]);
});

/** Words of the system, of the parser of answers, and of the parts that send requests. */
const foreign =
  /\bE[A-Z]{3,}\b|\bUND_|[Ii]nvalid input|expected (string|number|int|boolean|array|object|record)\b|received|\bzod\b|undici|fetch failed|Unexpected|undefined|\bNaN\b|\[object|TypeError/;

const odd: Behaviour = sendJson(
  Object.fromEntries(
    [
      ...['wallets', 'clients', 'providers', 'specs', 'locations', 'groups', 'devices', 'earners'],
      ...['account_payments', 'network_points', 'client_ids', 'outgoing_shared_devices'],
      ...['reliability_window', 'paid_bytes_provided', 'wallet_id', 'auth_code', 'valid'],
      ...['share_code', 'adopt_code', 'user_auth', 'network', 'by_jwt', 'provide_mode', 'uptime'],
    ].map((name, index) => [name, [7, 'x', true, [[]], { x: 1 }][index % 5]]),
  ),
);

const closed: Behaviour = (_request, response) => void response.socket?.destroy();

describe.each<[string, Behaviour]>([
  ['answers with values of other forms', odd],
  ['cuts each connection', reset],
  ['ends each connection', closed],
])('of a service that %s', (_kind, behave) => {
  test.each(rows)('%s speaks in plain words', async (name, words) => {
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await runAgainst(behave, [...name.split(' '), ...words, ...more]);
      const said = `${stdout}${stderr}`;
      expect(said.match(foreign)?.[0], said).toBeUndefined();
      expect(said).not.toBe('');
    }
  });
});

test('nobody listens there is said in plain words', async () => {
  const owner = await createOwner('http://127.0.0.1:1', 'documented', 'a.token.here', {
    nowMs: goldenNow,
  });
  const { exitCode, stderr } = await owner.run(['account', 'wallets']);
  expect(exitCode).toBe(69);
  expect(stderr).toContain('no connection to 127.0.0.1:1: nothing listens there\n');
});
