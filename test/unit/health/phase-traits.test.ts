import { expect, test } from 'vitest';
import { phases } from '../../../src/health/phase.ts';
import { isOwnersTurn, phaseTraits } from '../../../src/health/phase-traits.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import { renderStatus } from '../../../src/status/text.ts';
import { createFacts, now } from '../../../tools/docs/sample-facts.ts';

test('every phase that is ready is well, and none that waits for the owner is', () => {
  for (const phase of phases) {
    const { isReady, isWell } = phaseTraits[phase];
    expect([phase, isReady && !isWell, isWell && isOwnersTurn(phase)]).toEqual([
      phase,
      false,
      false,
    ]);
  }
});

test.each(phases)('the terminal shows %s in the tone of the table', (phase) => {
  const document = { ...buildStatusDocument(createFacts({}), now), phase };
  expect(renderStatus(document, now)[0]).toEqual({
    text: `Tributary is ${phase}`,
    tone: phaseTraits[phase].tone,
  });
});
