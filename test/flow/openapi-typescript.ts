import { registerHooks } from 'node:module';

// openapi-typescript builds its text with the compiler's interface, which TypeScript has no more
// from version 6 on.
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context),
});
