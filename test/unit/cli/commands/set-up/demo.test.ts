import { expect, test } from 'vitest';
import { demo } from '../../../../../src/cli/commands/set-up/demo.ts';
import { runCommand } from '../../run-command.ts';

test('outside of a package, the demonstration says how a clone shows it', async () => {
  await expect(runCommand(demo, '/nowhere/tributary.sock', ['demo'])).rejects.toMatchObject({
    code: 'usage-invalid',
    action: 'In a clone: npm run demo',
  });
});
