import { expect, onTestFinished, test } from 'vitest';
import { sendJson, startNastyService } from '../nasty-service.ts';
import { createOwner, goldenNow } from './command-world.ts';
import { fillAnswers } from './filled-answers.ts';
import { listServiceLines } from './service-lines.ts';

/** A device of this name is in every list. */
const name = '2026-03-14';
const lines = {
  ...listServiceLines(name),
  'stats --client': [name],
  'stats --last': ['90d'],
  'service providers --count': ['3'],
};
/** They print what a service sends as it is. */
const raw = /^(service call)/;

const rows = Object.entries(lines)
  .filter(([line]) => !raw.test(line))
  .flatMap(([line, words]) =>
    [1e300, -5, 1e15 + 0.3].map((number) => [line, number, words] as const),
  );

test.each(rows)(
  '%s shows no number that is none, where a service says %d',
  async (line, number, words) => {
    const answers = fillAnswers({ text: name, number });
    const service = await startNastyService((request, response) => {
      sendJson(answers.get(`${request.method} ${request.path}`) ?? {})(request, response);
    });
    onTestFinished(() => service[Symbol.asyncDispose]());
    const owner = await createOwner(service.baseUrl, 'documented', 'a.token.here', {
      nowMs: goldenNow,
    });
    const { stdout, stderr } = await owner.run([...line.split(' '), ...words], {
      columns: 100,
      standardInput: 'in the dark',
    });
    expect(service.seen.length).toBeGreaterThan(0);
    expect(stdout + stderr).not.toMatch(/Infinity|NaN|undefined|\de[+-]?\d|(^|[\s(])-\d/m);
  },
);
