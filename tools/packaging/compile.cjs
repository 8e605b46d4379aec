'use strict';
// Beside an installed program: loads its files as `run` would, which keeps what they are compiled to beside them.
const { readdirSync } = require('node:fs');

process.argv[2] = '--compile';
require('./tributary.cjs');
// By then it has made itself ready. The others are programs of their own: they would run.
setImmediate(() => {
  for (const name of readdirSync(__dirname))
    if (name.endsWith('.cjs') && !['engine.cjs', 'demo.cjs', 'worker.cjs'].includes(name))
      require(`./${name}`);
});
