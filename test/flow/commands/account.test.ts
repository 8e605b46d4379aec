import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { dayMs } from '../../../src/lib/units.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { type ProfileName, profileNames } from '../../../src/service/profiles.ts';
import { createCommandWorld, expectGolden, indent, maskChance } from './command-world.ts';
import { createTypist } from './typist.ts';

const addresses = {
  cold: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  hot: '0x52908400098527886E0F7030069857D2E4169EE7',
  shut: 'HN7cABqLq46Es1jh92dQQisAq662SmxELLLsHHe4YWrH',
};

/** An owner with three wallets, of which none is paid yet. */
async function createInvestor(profile: ProfileName = 'documented') {
  const world = await createCommandWorld(profile);
  const { addWallet } = world.service.admin;
  const cold = await addWallet({ walletAddress: addresses.cold });
  world.clock.nowMs += 12 * dayMs;
  const hot = await addWallet({
    walletAddress: addresses.hot,
    blockchain: 'MATIC',
    walletType: 'managed',
  });
  world.clock.nowMs += dayMs / 2;
  const shut = await addWallet({ walletAddress: addresses.shut, isActive: false });
  const ids = [cold, hot, shut].map(({ walletId }) => walletId);
  return {
    ...world,
    ids,
    wallets: { cold: cold.walletId, hot: hot.walletId, shut: shut.walletId },
  };
}

const listed = ['account', 'wallets'];
const payout = ['account', 'payout-wallet'];

describe('tributary account provided', () => {
  /** An owner whose devices provided something, of which nothing is paid yet. */
  async function createProvider(profile: ProfileName = 'documented') {
    const world = await createCommandWorld(profile);
    const database = openDatabase(world.dataDirectory);
    database.exec('update network set provided_bytes = 3_210_987_654');
    database.close();
    return world;
  }

  test('says what is paid, and what is not yet', async () => {
    const { run } = await createProvider();
    const { stdout, exitCode } = await run(['account', 'provided']);
    expect(exitCode).toBe(0);
    await expectGolden('account-provided.txt', stdout);
  });

  test.each(profileNames)('gives scripts whole bytes, in %s too', async (profile) => {
    const { run } = await createProvider(profile);
    const { stdout } = await run(['account', 'provided', '--json']);
    await expectGolden(`account-provided-${profile}.json`, indent(stdout));
  });
});

describe('tributary account wallets', () => {
  test.each<[string, number | undefined]>([
    ['80', 80],
    ['50', 50],
    ['pipe', undefined],
  ])('shows the wallets and which one is paid, on %s columns', async (name, columns) => {
    const { run, ids, wallets } = await createInvestor();
    await run([...payout, wallets.hot, '--yes']);
    const { stdout, exitCode } = await run(listed, { columns });
    expect(exitCode).toBe(0);
    await expectGolden(`account-wallets-${name}.txt`, maskChance(stdout, [], ids));
  });

  test.each(profileNames)('gives scripts whole addresses, in %s too', async (profile) => {
    const { run, wallets } = await createInvestor(profile);
    await run([...payout, wallets.hot, '--yes']);
    const { stdout } = await run([...listed, '--json']);
    await expectGolden(`account-wallets-${profile}.json`, maskChance(indent(stdout)));
  });

  test('says that none is paid, and that there are none', async () => {
    const { run } = await createInvestor();
    expect((await run(listed)).stdout).toMatch(
      /\nPayouts go to none of these\. Choose one: .* WALLET\n$/,
    );
    const { run: runPoor } = await createCommandWorld();
    expect((await runPoor(listed)).stdout).toMatch(
      /^No wallets yet\. Register one: tributary account add-wallet ADDRESS/,
    );
    expect((await runPoor(payout)).stdout).toMatch(/^No payout wallet yet/);
  });

  test('is not led astray by an address', async () => {
    const { run, service } = await createCommandWorld();
    const ids: string[] = [];
    for (const walletAddress of ['東'.repeat(60), '🪙'.repeat(40), 'x'.repeat(200), 'a b']) {
      ids.push((await service.admin.addWallet({ walletAddress })).walletId);
    }
    const { stdout } = await run(listed, { columns: 80 });
    await expectGolden('account-wallets-hostile.txt', maskChance(stdout, [], ids));
    const rows = stdout.split('\n').slice(0, ids.length + 1);
    expect(rows.filter((row) => stringWidth(row) > 80)).toEqual([]);
  });
});

describe('tributary account payout-wallet', () => {
  test('chooses a wallet after a question that names it whole', async () => {
    const { run, get, ids, wallets } = await createInvestor();
    const prompt = createTypist('yes');
    const { stdout } = await run([...payout, wallets.cold.slice(0, 8)], { prompt, columns: 80 });
    await expectGolden('account-payout-wallet-chosen.txt', maskChance(stdout, [], ids));
    expect(prompt.asked).toEqual([
      `From now on, send payouts to SOL ${addresses.cold} (external wallet ${wallets.cold})?`,
    ]);
    expect(await get('/account/payout-wallet')).toEqual({ wallet_id: wallets.cold });
    await expectGolden(
      'account-payout-wallet.txt',
      maskChance((await run(payout)).stdout, [], ids),
    );
  });

  test.each(profileNames)(
    'takes an address, and gives scripts the wallet, in %s too',
    async (profile) => {
      const { run } = await createInvestor(profile);
      const { stdout } = await run([...payout, addresses.hot, '--yes', '--json']);
      await expectGolden(`account-payout-wallet-${profile}.json`, maskChance(indent(stdout)));
    },
  );

  test('changes nothing without a yes, and asks nothing where it is chosen already', async () => {
    const { run, get, wallets } = await createInvestor();
    await run([...payout, wallets.cold, '--yes']);
    const no = createTypist('no');
    expect(await run([...payout, wallets.hot], { prompt: no })).toMatchObject({ exitCode: 64 });
    expect(await run([...payout, wallets.hot])).toMatchObject({ exitCode: 64 });
    expect(await get('/account/payout-wallet')).toEqual({ wallet_id: wallets.cold });
    const unasked = createTypist('no');
    const again = await run([...payout, wallets.cold, '--json'], { prompt: unasked });
    expect(JSON.parse(again.stdout)).toMatchObject({
      payoutWalletId: wallets.cold,
      isChanged: false,
    });
    expect(unasked.asked).toEqual([]);
  });

  test('sends nothing for a wallet that is not clear, and says what the service refuses', async () => {
    const { run, wallets } = await createInvestor();
    for (const text of ['nobody', '', addresses.cold.toLowerCase()]) {
      const { exitCode, stderr } = await run([...payout, text, '--yes']);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 64,
        stderr: expect.stringContaining('\n  > See your wallets: tributary account wallets\n'),
      });
    }
    const inactive = await run([...payout, wallets.shut, '--yes']);
    expect(inactive).toMatchObject({
      exitCode: 65,
      stderr: expect.stringContaining('no such active wallet'),
    });
  });
});
