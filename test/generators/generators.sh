#!/bin/sh
# Makes clients of the interface's OpenAPI document by three generators, and compiles each with the
# strict compiler; then has the document read for faults. The generators come from the registry, in
# a folder that goes afterwards, because nothing else needs them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
node "$here/write-documents.ts" "$room"
cd "$room"
cat > package.json <<'JSON'
{
  "private": true,
  "type": "module",
  "dependencies": {
    "@hey-api/openapi-ts": "0.99.0",
    "@stoplight/spectral-cli": "6.16.3",
    "@types/node": "24.0.0",
    "openapi-typescript": "7.13.0",
    "orval": "8.38.0",
    "typescript": "5.9.3",
    "zod": "4.1.0"
  }
}
JSON
npm install --ignore-scripts --no-audit --no-fund --loglevel=error
cat > tsconfig.json <<'JSON'
{
  "compilerOptions": {
    "strict": true,
    "noEmit": true,
    "target": "es2023",
    "module": "esnext",
    "moduleResolution": "bundler",
    "lib": ["es2023", "dom", "dom.iterable"],
    "types": ["node"],
    "skipLibCheck": false
  },
  "include": ["made"]
}
JSON
echo 'extends: ["spectral:oas"]' > spectral.yaml
for profile in documented production; do
  npx openapi-typescript "$profile.json" --output "made/$profile-types.ts"
  npx openapi-ts --input "$profile.json" --output "made/$profile-client" --client @hey-api/client-fetch
  for client in fetch zod; do
    npx orval --input "$profile.json" --output "made/$profile-$client.ts" --client "$client"
  done
  npx spectral lint "$profile.json" --ruleset spectral.yaml --fail-severity warn
done
# A generator that wrote nothing would compile, too.
for part in types.ts client/sdk.gen.ts fetch.ts zod.ts; do
  for profile in documented production; do
    grep -q 'provider-last-90\|[pP]roviderLast90' "made/$profile-$part"
  done
done
npx tsc --project .
echo 'Three generators made clients of both profiles, and all of them compile.'
