import { expect, test } from 'vitest';
import { toPlainReason } from '../../../src/lib/plain-reason.ts';

test.each([
  ['connect ECONNREFUSED 127.0.0.1:18901', 'nothing listens there'],
  ['connect ECONNREFUSED ::1:443', 'nothing listens there'],
  ['read ECONNRESET', 'the other end cut the connection'],
  ['getaddrinfo EAI_AGAIN service.example', 'no name server answers'],
  ['getaddrinfo ENOTFOUND service.example', 'no name server knows this name'],
  [
    '127.0.0.1: ECONNREFUSED; 127.0.0.2: ENETUNREACH',
    '127.0.0.1: nothing listens there; 127.0.0.2: there is no way to its network',
  ],
  ['certificate has expired (127.0.0.1)', 'certificate has expired (127.0.0.1)'],
  ['EUNKNOWNTHING 7', 'EUNKNOWNTHING 7'],
])('%s is said as: %s', (text, said) => {
  expect(toPlainReason(text)).toBe(said);
});
