import { orErrorObject } from './error-object.ts';
import type { Backend, Handler } from './handler.ts';
import { findInWords } from './place-search.ts';
import { toWireSpec } from './wire-places.ts';

/** create-provider-spec: what a text in plain words asks for; the best available where it names no place and no use. */
export function answerCreateProviderSpec({ world }: Backend): Handler<'createProviderSpec'> {
  return ({ request }) =>
    orErrorObject(() => {
      const specs = findInWords(world, request.query).map(toWireSpec);
      return { specs: specs.length === 0 ? [{ best_available: true }] : specs };
    });
}
