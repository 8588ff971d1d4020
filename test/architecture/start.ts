/** What a service reads before it listens: each of its modules is processor time of every start, and of every test that starts one. */
import { runtimeFiles } from './arrows.ts';
import type { SourceFile } from './source.ts';

const entry = 'packages/server/src/app.ts';

/** Code that a service needs later or never. */
const laterFiles: Readonly<Record<string, string>> = {
  'packages/formats/src/index.ts': 'take what is needed from a part of it, such as @ploidy/formats/tables',
};
const laterPackages: Readonly<Record<string, string>> = {
  'node:http': 'take it from node-http.ts',
  typebox: 'take Type from schema.ts',
  nodemailer: 'import() it with the first letter',
  '@node-saml/node-saml': 'import() it with the first sign-in',
};

/** Files that a service would load with its start for what it may never do. */
export function loadedTooEarly(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const loaded = new Set([entry]);
  for (const path of loaded)
    for (const next of runtimeFiles(byPath.get(path)?.imports ?? [])) loaded.add(next);
  return [...loaded].flatMap((path) =>
    (byPath.get(path)?.imports ?? []).flatMap(({ specifier, file, kind }) => {
      const advice = laterFiles[file ?? ''] ?? laterPackages[specifier];
      return kind === 'static' && advice !== undefined
        ? [`${path} loads ${specifier} with every start of a service: ${advice}`]
        : [];
    }),
  );
}
