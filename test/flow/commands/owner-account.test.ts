import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dayMs, GIB } from '../../../src/lib/units.ts';
import type { Letter } from '../../../src/reference-service/backend.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { call, claimsOf, makeDirectory, start } from '../reference-caller.ts';
import {
  createCommandWorld,
  createOwner,
  expectGolden,
  goldenNow,
  indent,
  maskChance,
} from './command-world.ts';
import { createTypist } from './typist.ts';

const sol = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';

/** An owner whose device provided something today, last week and the week before. */
async function createEarner() {
  const world = await createCommandWorld();
  await world.register('shed');
  using database = openDatabase(world.dataDirectory);
  const today = Math.floor(goldenNow / dayMs);
  const add = database.prepare(
    `insert into usage_day (client, day, rx_bytes, tx_bytes, online_ms, sessions, searches)
     select sequence, ?, ?, 0, 0, 0, 0 from client`,
  );
  for (const [ageDays, gib] of [
    [1, 1.25],
    [8, 3.5],
    [15, 12.75],
  ] as const)
    add.run(today - ageDays, gib * GIB);
  database.exec(`update network set provided_bytes = ${17.5 * GIB}`);
  const { walletId } = await world.service.admin.addWallet({ walletAddress: sol });
  await world.run(['account', 'payout-wallet', walletId, '--yes']);
  return world;
}

describe('what was paid', () => {
  test.each([
    ['payments', 'account-payments'],
    ['points', 'account-points'],
  ])('tributary account %s lists it', async (command, golden) => {
    const { run } = await createEarner();
    const { stdout, exitCode } = await run(['account', command], { columns: 80 });
    expect(exitCode).toBe(0);
    await expectGolden(`${golden}.txt`, maskChance(stdout));
    const json = await run(['account', command, '--json']);
    await expectGolden(`${golden}.json`, maskChance(indent(json.stdout)));
  });

  test('is said where nothing was', async () => {
    const { run } = await createCommandWorld();
    expect((await run(['account', 'payments'])).stdout).toContain('Nothing was paid out yet');
    expect((await run(['account', 'points'])).stdout).toBe('No points yet.\n');
  });

  test('stands below the statistics, with what is due and what they leave out', async () => {
    const { run } = await createEarner();
    const { stdout } = await run(['stats'], { columns: 80 });
    expect(stdout).toContain('Since the beginning, this device: 17.4 GB paid, 1.34 GB due');
    expect(stdout).toContain('what consumers download');
    const { provided } = JSON.parse((await run(['stats', '--json'])).stdout);
    expect(provided).toEqual({ paidBytes: 16.25 * GIB, unpaidBytes: 1.25 * GIB });
  });
});

describe('wallets', () => {
  test('are registered after a question, and removed', async () => {
    const { run, get } = await createCommandWorld();
    const prompt = createTypist('yes');
    const added = await run(['account', 'add-wallet', sol, '--chain', 'sol'], { prompt });
    expect(prompt.asked).toEqual([`Register SOL ${sol} for payouts?`]);
    await expectGolden('account-add-wallet.txt', maskChance(added.stdout));
    const again = await run(['account', 'add-wallet', sol, '--yes', '--json']);
    await expectGolden('account-add-wallet.json', maskChance(indent(again.stdout)));
    const { walletId } = JSON.parse(again.stdout);
    await run(['account', 'payout-wallet', walletId, '--yes']);
    const asked = createTypist('no');
    await run(['account', 'remove-wallet', sol], { prompt: asked });
    expect(asked.asked[0]).toContain('Payouts go there now');
    const { stdout } = await run(['account', 'remove-wallet', walletId, '--yes', '--json']);
    await expectGolden('account-remove-wallet.json', maskChance(indent(stdout)));
    expect((await get('/account/wallets')).wallets).toEqual([]);
  });

  test.each([
    [['--chain', 'SOL', '0x52908400098527886E0F7030069857D2E4169EE7'], 'is no address of SOL'],
    [['--chain', 'BTC', sol], 'it must be SOL or MATIC'],
  ])('%j is refused before anything is asked', async (words, why) => {
    const { run, get } = await createCommandWorld();
    const prompt = createTypist('yes');
    const { exitCode, stderr } = await run(['account', 'add-wallet', ...words], { prompt });
    expect([exitCode, prompt.asked]).toEqual([64, []]);
    expect(stderr).toContain(why);
    expect((await get('/account/wallets')).wallets).toEqual([]);
  });
});

describe('a password', () => {
  /** A network that has an e-mail address and a password, and a device that is not signed in. */
  async function createUpgraded() {
    const letters: Letter[] = [];
    const service = await start({ deliver: (letter) => letters.push(letter) });
    const { baseUrl } = service;
    await call(baseUrl, '/auth/upgrade-guest', {
      token: service.guestJwt,
      body: { user_auth: 'ada@example.org', network_name: 'ada', password: 'correct horse' },
    });
    const owner = await createOwner(baseUrl, 'documented', 'none', { nowMs: goldenNow });
    const kept = async () => (await owner.store.peek())?.token?.reveal() ?? '';
    return { ...owner, letters, kept };
  }
  const login = ['login', '--user-auth', 'ada@example.org', '--yes'];

  test('signs a device in, after the address is verified by what was sent there', async () => {
    const { run, letters, kept } = await createUpgraded();
    const standardInput = 'correct horse';
    const first = await run(login, { standardInput });
    expect(first.exitCode).toBe(64);
    expect(first.stderr).toContain('has to be verified, and the service sent a code there');
    const file = join(makeDirectory(), 'code');
    writeFileSync(file, letters.at(-1)?.code ?? '');
    const second = await run([...login, '--verify-code-file', file]);
    expect([second.stderr, second.exitCode]).toEqual(['', 0]);
    expect(claimsOf(await kept()).network_name).toBe('ada');
    const third = await run(login, { standardInput });
    expect(third.stdout).toContain('Signed in to ada.');
  });

  test('is asked for once it is said which accounts have none', async () => {
    const { run } = await createUpgraded();
    const typist = createTypist('yes', 'correct horse');
    await run(login, { prompt: typist });
    expect(typist.told[0]).toContain('made with Google, Apple or a wallet has no password');
    expect(typist.asked[0]).toBe('Password');
  });

  test('that is wrong leaves the sign-in as it was', async () => {
    const { run, kept } = await createUpgraded();
    const { exitCode, stderr } = await run(login, { standardInput: 'another one' });
    expect([exitCode, await kept()]).toEqual([65, 'none']);
    expect(stderr).toContain('Invalid login.');
  });

  test('is reset by a code that is sent', async () => {
    const { run, letters } = await createUpgraded();
    const { stdout } = await run(['account', 'reset-password', 'ada@example.org']);
    expect(stdout).toContain('tributary account set-password');
    expect(letters.at(-1)).toMatchObject({ to: 'ada@example.org', purpose: 'reset' });
    const json = await run(['account', 'reset-password', 'ada@example.org', '--json']);
    await expectGolden('account-reset-password.json', indent(json.stdout));
  });
});
