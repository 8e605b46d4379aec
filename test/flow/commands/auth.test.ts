import { describe, expect, test } from 'vitest';
import { call } from '../reference-caller.ts';
import { createCommandWorld, expectGolden, indent, maskChance } from './command-world.ts';

const line = ['auth', 'code'];

describe('tributary auth code', () => {
  test('makes a code with which another person signs in', async () => {
    const { run, service } = await createCommandWorld();
    const { stdout, exitCode } = await run(line, { columns: 80 });
    expect(exitCode).toBe(0);
    const [code = ''] = stdout.split('\n');
    await expectGolden('auth-code.txt', maskChance(stdout, [code]));
    const { body } = await call(service.baseUrl, '/auth/code-login', { body: { auth_code: code } });
    expect(body.by_jwt).toMatch(/^eyJ/);
  });

  test('gives scripts the code and how long it is good', async () => {
    const { run } = await createCommandWorld();
    const { stdout } = await run([...line, '--minutes', '90', '--uses', '5', '--json']);
    await expectGolden('auth-code.json', maskChance(indent(stdout), [JSON.parse(stdout).authCode]));
  });

  test('says for how long and for how many', async () => {
    const { run } = await createCommandWorld();
    const { stdout } = await run([...line, '--minutes', '90', '--uses', '5']);
    expect(stdout).toContain('Good for 1 h 30 min and 5 sign-ins.\n');
  });

  test.each([
    ['--minutes', '0', 'it must be a number above 0'],
    ['--minutes', 'ten', 'it must be a number above 0'],
    ['--uses', '-1', 'it must be a number above 0'],
    ['--uses', '1.5', 'it must be a whole number above 0'],
  ])('refuses %s %s', async (option, value, message) => {
    const { run } = await createCommandWorld();
    const { exitCode, stderr } = await run([...line, option, value]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: expect.stringContaining(message),
    });
  });

  test('says plainly that there are too many unused ones', async () => {
    const { run, post } = await createCommandWorld();
    for (let codes = 0; codes < 10; codes += 1) await post('/auth/code-create', {});
    const { exitCode, stderr } = await run(line);
    expect(exitCode).toBe(75);
    await expectGolden('auth-code-limit.txt', stderr);
  });

  test.each<[string, readonly string[], number | undefined, boolean]>([
    ['where it is asked for', ['--qr'], 80, true],
    ['not by itself', [], 80, false],
    ['not where it has no room, which it says', ['--qr'], 20, false],
  ])('shows the code to a camera %s', async (_, options, columns, isShown) => {
    const { run } = await createCommandWorld();
    const { stdout } = await run([...line, ...options], { columns });
    expect(stdout.includes('█')).toBe(isShown);
    expect(stdout.includes('The QR code needs')).toBe(options.length > 0 && !isShown);
  });

  test('makes one against production, whatever it begins with', async () => {
    const { run, service } = await createCommandWorld('production');
    for (let codes = 0; codes < 5; codes += 1) {
      const { authCode, durationMinutes, uses } = JSON.parse(
        (await run([...line, '--json'])).stdout,
      );
      expect({ durationMinutes, uses }).toEqual({ durationMinutes: 10, uses: 1 });
      const { body } = await call(service.baseUrl, '/auth/code-login', {
        body: { auth_code: authCode },
      });
      expect(body.by_jwt).toMatch(/^eyJ/);
    }
    const { exitCode, stderr } = await run([...line, '--uses', '2']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 65,
      stderr: expect.stringContaining('uses must be 1.'),
    });
  });
});
