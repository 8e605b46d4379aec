import type { Exec } from './exec.ts';

/**
 * Runs lines of `tc`. `whole` stops at the first line that is refused, `forced` goes on and fails
 * at the end, `talk` asks the kept program.
 * @throws command-failed, missing-program
 */
export async function applyTc(
  exec: Exec,
  lines: readonly string[],
  how: 'whole' | 'forced' | 'talk' = 'whole',
): Promise<void> {
  const force = how === 'forced' ? ['-force'] : [];
  const talk = { to: 'tc', lines, isChange: true } as const;
  const command = {
    program: 'tc',
    args: [...force, '-batch', '-'],
    input: `${lines.join('\n')}\n`,
  };
  await exec({ ...command, doing: 'shaping the line', ...(how === 'talk' && { talk }) });
}

/**
 * What `tc` prints for these questions, in their order.
 * @throws command-failed, missing-program
 */
export async function askTc(exec: Exec, lines: readonly string[]): Promise<string> {
  const input = `${lines.join('\n')}\n`;
  const talk = { to: 'tc', lines } as const;
  return exec({
    program: 'tc',
    args: ['-batch', '-'],
    input,
    doing: 'reading how the line is shaped',
    talk,
  });
}

/**
 * What `tc` prints for these questions, in their order, with what each part counted.
 * @throws command-failed, missing-program
 */
export async function askTcCounts(exec: Exec, lines: readonly string[]): Promise<string> {
  return exec({
    program: 'tc',
    args: ['-statistics', '-batch', '-'],
    input: `${lines.join('\n')}\n`,
    doing: 'reading what left by a device',
  });
}
