import { expect, test } from 'vitest';
import { findOwner } from '../../../src/namespace/owner.ts';

const root = 'root:x:0:0:root:/root:/bin/bash';

test.each([
  ['the package', `${root}\ntributary:x:998:997:Tributary agent:/:/usr/sbin/nologin\n`, [998, 997]],
  ['no package', `${root}\n`, undefined],
  ['another program with a similar name', `${root}\ntributary-connect:x:998:997::/:\n`, undefined],
  ['a line that is no user', `${root}\ntributary:x:nobody\n`, undefined],
])("the agent's user is known where there is %s", (_, passwd, numbers) => {
  const owner = findOwner(passwd);
  expect(owner && [owner.uid, owner.gid]).toEqual(numbers);
});
