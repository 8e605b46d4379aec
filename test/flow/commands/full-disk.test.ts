import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Runs `tributary …` with its output into a device that is full. */
function runIntoFull(...argv: readonly string[]) {
  const full = openSync('/dev/full', 'w');
  try {
    const { status, stderr } = spawnSync(process.execPath, ['src/tributary.ts', ...argv], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    return { status, stderr };
  } finally {
    closeSync(full);
  }
}

test.each([['--version'], ['config', 'schema'], ['--help'], ['completion', 'bash']])(
  'output that cannot be written is a message and exit code 74: %s %s',
  (...argv) => {
    const { status, stderr } = runIntoFull(...argv.filter((word) => word !== undefined));
    expect(stderr).toBe(
      'tributary: writing to standard output: ENOSPC: no space left on device, write\n  > Make room where the output goes, or send it elsewhere.\n',
    );
    expect(status).toBe(74);
  },
);

test('with --json the message is an object', () => {
  const { status, stderr } = runIntoFull('config', 'schema', '--json');
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'output-failed' });
  expect(status).toBe(74);
});
