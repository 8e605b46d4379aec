import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chooseWayIn, observeMeans } from '../../../src/namespace/way-in.ts';

const command = ['node', 'x.cjs', 'run', '$(reboot)'];

describe('the way into a namespace of one’s own', () => {
  test.each([
    [{ isRoot: true, hasPasta: true }, 'netns', 'ip'],
    [{ isRoot: true, hasPasta: false }, 'netns', 'ip'],
    [{ isRoot: false, hasPasta: true }, 'pasta', 'pasta'],
  ])('with %j is %s', (means, kind, program) => {
    const way = chooseWayIn(means, command);
    expect([way.kind, way.argv[0]]).toEqual([kind, program]);
    // The command comes last, whole, as separate words, and ends with what started it.
    expect(way.argv.slice(-command.length - 3)).toEqual([
      'setpriv',
      '--pdeathsig',
      'TERM',
      ...command,
    ]);
  });

  test('without root and without pasta is refused, with what to do about it', () => {
    expect(() => chooseWayIn({ isRoot: false, hasPasta: false }, command)).toThrow(
      expect.objectContaining({
        code: 'host-namespace',
        message: expect.stringMatching(/with sudo.*install passt/),
      }),
    );
  });

  test('through pasta carries no port over, and keeps the gateway’s address from leading to the host', () => {
    const { argv } = chooseWayIn({ isRoot: false, hasPasta: true }, command);
    const options = argv.slice(0, argv.indexOf('--'));
    expect(options).toContain('--no-map-gw');
    for (const option of ['-t', '-u', '-T', '-U'])
      expect(options[options.indexOf(option) + 1]).toBe('none');
  });
});

test('pasta is there where a program of that name can be run', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-means-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'pasta');
  await writeFile(path, '');
  await chmod(path, 0o755);
  expect((await observeMeans({ PATH: `/nonexistent:${directory}` })).hasPasta).toBe(true);
});
