import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import { createTestLab, runOnDevice, stopAgent } from './support/test-lab.ts';

describe.skipIf(!isInsideLab()).each(['wireguard', 'connect'] as const)(
  'whom consumers of the source %s speak with',
  (source) => {
    let lab: Lab;
    /** What the agent says and keeps, by where. */
    const said = new Map<string, string>();

    beforeAll(async () => {
      const config = { log: { level: 'trace' } };
      lab = await createTestLab({ id: `uns${source[0]}`, profile: 'documented', source, config });
      const agent = lab.startAgent();
      await lab.waitForStatus(({ phase }) => phase === 'providing');
      await lab.consumer?.isReady;
      expect(await waitForDownload(lab.startDownload(1_000_000, 60))).toMatchObject({
        isWhole: true,
      });
      expect(await lab.probe(addresses.nas, webPort)).toBe('refused');
      for (const args of [['status', '--json'], ['stats'], ['doctor']])
        said.set(args.join(' '), (await runOnDevice(lab, args)).text);
      for (const path of ['/', '/status.json', '/metrics'])
        said.set(`page ${path}`, await ask(lab, path));
      await collectFiles(lab.stateDirectory, said);
      await stopAgent(agent);
      await collectFiles(lab.stateDirectory, said);
      said.set('log', agent.lines.join('\n'));
    });
    afterAll(() => lab?.remove());

    it('is in no log, page, command or file', () => {
      expect(said.get('log')).toContain('"level":"debug"');
      expect(said.get('log')).toContain('providing');
      const places = [...said.keys()].join(' ');
      expect(places).toContain('usage.json');
      expect(places).toContain('ledger/');
      const far = [addresses.internet, addresses.nas].join('|').replaceAll('.', '\\.');
      for (const [place, text] of said)
        expect(text, place).not.toMatch(new RegExp(`(?<!\\d)(${far})(?!\\d)`));
    });
  },
);

async function collectFiles(directory: string, into: Map<string, string>): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    into.set(path, `${into.get(path) ?? ''}${await readFile(path, 'utf8').catch(() => '')}`);
  }
}

async function ask(lab: Lab, path: string): Promise<string> {
  const script = `fetch('http://127.0.0.1:9469${path}').then((answer) => answer.text()).then((text) => console.log(text))`;
  return lab.network.run('device', process.execPath, '-e', script);
}
