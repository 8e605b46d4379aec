import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openKeptEvents } from '../../../../src/agent/tell/kept-events.ts';
import { judgePhase } from '../../../../src/health/phase.ts';
import { createRecent } from '../../../../src/status/recent.ts';
import { createFacts, now, providingFacts } from '../../../../tools/docs/sample-facts.ts';

async function openFolder() {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-events-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const asides: string[] = [];
  const onSetAside = (path: string) => void asides.push(path);
  const open = () => openKeptEvents({ directory, onSetAside });
  return { path: join(directory, 'events.json'), open, asides };
}

test('an incident is still told after a restart, below what came later', async () => {
  const { open } = await openFolder();
  const first = await open();
  const before = createRecent(
    () => now,
    () => 0,
    first.earlier,
  );
  const message = 'nft failed';
  const failed = createFacts({
    gateway: { problem: { code: 'gateway-failed', message, since: now } },
  });
  for (const facts of [providingFacts, failed]) before.note(facts, judgePhase(facts, now));
  await first.keep(before.events());
  const { earlier } = await open();
  expect(earlier).toEqual(before.events());
  const after = createRecent(
    () => now,
    () => 0,
    earlier,
  );
  after.note(providingFacts, judgePhase(providingFacts, now));
  expect(after.events().flatMap((own) => ('phase' in own ? own.phase : []))).toEqual([
    'providing',
    'blocked',
    'providing',
  ]);
});

test('nothing is written where nothing happened', async () => {
  const { path, open } = await openFolder();
  const { keep } = await open();
  const events = [{ kind: 'start', at: now, version: '1.2.3' }] as const;
  await keep(events);
  await writeFile(path, 'left as it is');
  await keep(events);
  expect(await readFile(path, 'utf8')).toBe('left as it is');
});

test('what cannot be read is set aside, and the agent begins without it', async () => {
  const { path, open, asides } = await openFolder();
  await writeFile(path, '{"version":1}');
  expect((await open()).earlier).toEqual([]);
  expect(asides).toEqual([path]);
});
