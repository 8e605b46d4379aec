import { expect, test } from 'vitest';
import { createCommandWorld } from './command-world.ts';

const groups = {
  device: ['list', 'share', 'add', 'associations', 'provide'],
  account: ['provided', 'wallets', 'payout-wallet', 'upgrade', 'set-password'],
  auth: ['code'],
  service: ['clients', 'locations', 'providers', 'spec', 'reliability', 'leaderboard', 'call'],
} as const;

test.each(Object.entries(groups))(
  'tributary %s alone shows what there is: %j',
  async (group, commands) => {
    const { run } = await createCommandWorld();
    const { exitCode, stderr } = await run([group]);
    expect(exitCode).toBe(64);
    for (const command of commands) expect(stderr).toMatch(new RegExp(`^  ${command} `, 'm'));
  },
);

test.each(
  Object.entries(groups).flatMap(([group, commands]) =>
    commands.map((command) => [group, command] as const),
  ),
)('tributary %s %s explains itself with examples', async (group, command) => {
  const { run } = await createCommandWorld();
  const { exitCode, stdout } = await run([group, command, '--help']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('  --json ');
  expect(stdout).toMatch(
    new RegExp(`\\nExamples:\\n(  # .+\\n  (sudo )?tributary ${group} ${command}.*\\n)+\\n`),
  );
});

/** The commands that a help lists, without its examples. */
const firstWords = (help: string) =>
  [...help.replace(/\nExamples:[\s\S]*/, '').matchAll(/^ {2}([a-z]+)(?= )/gm)].map(
    ([, word]) => word,
  );

test('the help lists at most 15 commands, and with --all every one', async () => {
  const { run } = await createCommandWorld();
  const [short, same, whole] = await Promise.all(
    [['--help'], ['help'], ['help', '--all']].map((words) => run(words)),
  );
  expect(same).toEqual(short);
  expect(short?.stdout).toContain('\nEvery other command: tributary help --all\n');
  const [shown, all] = [firstWords(short?.stdout ?? ''), firstWords(whole?.stdout ?? '')];
  expect(shown).toEqual(expect.arrayContaining(['status', 'setup', 'device']));
  expect(shown.length).toBeLessThanOrEqual(15);
  expect(all).toEqual(expect.arrayContaining([...shown, 'service', 'provide', 'sandbox', 'run']));
});

test.each(['status', 'device share'])('tributary --help %s explains that command', async (name) => {
  const words = name.split(' ');
  const { run } = await createCommandWorld();
  const wanted = await run([...words, '--help']);
  expect(wanted.stdout).toContain(`Usage: tributary ${name} `);
  expect(await run(['--help', ...words])).toEqual(wanted);
  expect(await run(['-h', ...words])).toEqual(wanted);
});

test.each([
  [['help', 'device', 'share', 'extra'], 'there is no command extra here; commands here: none'],
  [['help', 'auth', 'zzz'], 'there is no command zzz here; commands here: status, code'],
  [['help', 'service', 'client'], 'there is no command client here; did you mean clients?'],
])('tributary %j says what there is', async (words, message) => {
  const { run } = await createCommandWorld();
  const { exitCode, stderr } = await run(words);
  expect([exitCode, stderr]).toEqual([64, expect.stringContaining(message)]);
});
