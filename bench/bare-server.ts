/** Baseline server: node:http that reads the same row from SQLite and nothing else. */
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

const [path = '', id = ''] = process.argv.slice(2);
const database = new DatabaseSync(path, { readOnly: true });
const statement = database.prepare('select id, name, description, deletion_at from projects where id = ?');

const server = createServer((_request, response) => {
  const row = statement.get(id);
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ id: row?.['id'], name: row?.['name'], description: row?.['description'] }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
