// undici has types for its main module only. These are for the inner parts that `transport.ts`
// uses.

declare module 'undici/lib/dispatcher/pool.js' {
  const pool: typeof import('undici').Pool;
  export = pool;
}

declare module 'undici/lib/core/connect.js' {
  const connect: typeof import('undici').buildConnector;
  export = connect;
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
  export = request;
}
