// Neon's driver over HTTP, directly and under drizzle and kysely, with nothing changed but the address.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, neon, NeonDbError, neonConfig, Pool } from "@neondatabase/serverless";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
import { drizzle as drizzleOverSockets } from "drizzle-orm/neon-serverless";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { Kysely, PostgresDialect } from "kysely";
import { NeonDialect } from "kysely-neon";
import ws from "ws";

const { HEADGATE_URL, HEADGATE_TOKEN } = process.env;
const domain = "bank";

let connectionString;

async function api(method, path, body) {
  const response = await fetch(`${HEADGATE_URL}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${HEADGATE_TOKEN}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.status === 204 ? undefined : response.json();
}

before(async () => {
  neonConfig.fetchEndpoint = `${HEADGATE_URL}/sql`;
  neonConfig.wsProxy = () => `${new URL(HEADGATE_URL).host}/v2`;
  neonConfig.useSecureWebSocket = false;
  neonConfig.webSocketConstructor = ws;
  const client = await api("POST", `/domains/${domain}/clients`, { name: "serverless" });
  connectionString = `postgresql://serverless:${encodeURIComponent(client.password)}@ignored.example.org/${domain}`;
  const sql = neon(connectionString);
  await sql`DROP TABLE IF EXISTS serverless_people`;
  await sql`CREATE TABLE serverless_people (id int PRIMARY KEY, name text NOT NULL)`;
});

after(async () => {
  await neon(connectionString)`DROP TABLE serverless_people`;
  await api("DELETE", `/domains/${domain}/clients/serverless`);
});

test("a query answers with its rows", async () => {
  const sql = neon(connectionString);
  assert.deepEqual(await sql`SELECT ${1}::int AS n, ${"a'b"}::text AS t, ${null}::text AS nothing`, [
    { n: 1, t: "a'b", nothing: null },
  ]);
});

test("every type is parsed as over a socket", async () => {
  const sql = neon(connectionString);
  const [row] = await sql`SELECT true AS b, 2::int2 AS i2, 9007199254740993::int8 AS i8, 1.50::numeric AS n, 0.5::float8 AS f,
    '{"a": [1, null]}'::jsonb AS j, ARRAY[1, 2]::int[] AS a, ARRAY['x,y', NULL, '"'] AS t,
    '2024-02-29 12:00:00+00'::timestamptz AS ts, '\\x00ff'::bytea AS bytes`;
  assert.deepEqual(
    { ...row, ts: row.ts.toISOString(), bytes: row.bytes.toString("hex") },
    {
      b: true,
      i2: 2,
      i8: "9007199254740993",
      n: "1.50",
      f: 0.5,
      j: { a: [1, null] },
      a: [1, 2],
      t: ["x,y", null, '"'],
      ts: "2024-02-29T12:00:00.000Z",
      bytes: "00ff",
    },
  );
});

test("parameters of every kind arrive", async () => {
  const sql = neon(connectionString);
  const [row] = await sql.query("SELECT $1::int[] AS a, $2::jsonb AS j, $3::bytea AS b, $4::bool AS t, $5::text[] AS s", [
    [1, null, 3],
    { q: '"' },
    Buffer.from([0, 255]),
    true,
    ["a", 'b"c', null],
  ]);
  assert.deepEqual(row.a, [1, null, 3]);
  assert.deepEqual(row.j, { q: '"' });
  assert.equal(row.b.toString("hex"), "00ff");
  assert.equal(row.t, true);
  assert.deepEqual(row.s, ["a", 'b"c', null]);
});

test("full results and arrays are as asked for", async () => {
  const sql = neon(connectionString, { fullResults: true, arrayMode: true });
  const result = await sql`SELECT 1 AS a, 'x' AS a`;
  assert.deepEqual(result.rows, [[1, "x"]]);
  assert.equal(result.command, "SELECT");
  assert.equal(result.rowCount, 1);
  assert.deepEqual(
    result.fields.map((field) => [field.name, field.dataTypeID, field.format]),
    [
      ["a", 23, "text"],
      ["a", 25, "text"],
    ],
  );
});

test("a change tells how many rows it changed", async () => {
  const sql = neon(connectionString, { fullResults: true });
  const result = await sql`INSERT INTO serverless_people SELECT i, 'n' || i FROM generate_series(100, 102) AS i`;
  assert.equal(result.command, "INSERT");
  assert.equal(result.rowCount, 3);
});

test("an error has the server's fields", async () => {
  const sql = neon(connectionString);
  await assert.rejects(sql`INSERT INTO serverless_people VALUES (1, 'a'), (1, 'b')`, (error) => {
    assert.ok(error instanceof NeonDbError);
    assert.equal(error.code, "23505");
    assert.equal(error.constraint, "serverless_people_pkey");
    assert.equal(error.table, "serverless_people");
    assert.match(error.detail, /already exists/);
    assert.equal(error.severity, "ERROR");
    return true;
  });
  await assert.rejects(sql.query("SELEC 1"), { code: "42601", position: "1" });
});

test("a transaction is all or nothing, at the level that is asked for", async () => {
  const sql = neon(connectionString);
  const [, level] = await sql.transaction(
    [sql`INSERT INTO serverless_people VALUES (10, 'ten')`, sql`SHOW transaction_isolation`],
    { isolationLevel: "Serializable" },
  );
  assert.deepEqual(level, [{ transaction_isolation: "serializable" }]);
  await assert.rejects(
    sql.transaction([sql`INSERT INTO serverless_people VALUES (11, 'eleven')`, sql`SELECT 1/0`]),
    { code: "22012" },
  );
  await assert.rejects(sql.transaction([sql`DELETE FROM serverless_people`], { readOnly: true }), { code: "25006" });
  assert.deepEqual(await sql`SELECT id FROM serverless_people WHERE id IN (10, 11)`, [{ id: 10 }]);
});

test("a transaction may have no query", async () => {
  assert.deepEqual(await neon(connectionString).transaction([]), []);
});

test("a wrong password, an unknown user and an unknown domain are refused alike", async () => {
  for (const wrong of [
    connectionString.replace(/:[^:@/]+@/, ":wrong@"),
    connectionString.replace("serverless:", "nobody:"),
    connectionString.replace(`/${domain}`, "/nowhere"),
  ]) {
    await assert.rejects(neon(wrong)`SELECT 1`, /password authentication failed/);
  }
});

test("many rows come whole", async () => {
  const sql = neon(connectionString);
  const rows = await sql`SELECT i, repeat('x', 100) AS filler FROM generate_series(1, 50000) AS i`;
  assert.equal(rows.length, 50000);
  assert.equal(rows[49999].i, 50000);
});

test("drizzle works unchanged", async () => {
  const people = pgTable("serverless_people", { id: integer("id").primaryKey(), name: text("name").notNull() });
  const db = drizzle(neon(connectionString));
  await db.insert(people).values([
    { id: 20, name: "twenty" },
    { id: 21, name: "twenty-one" },
  ]);
  assert.deepEqual(await db.select().from(people).where(drizzleSql`id between 20 and 21`).orderBy(people.id), [
    { id: 20, name: "twenty" },
    { id: 21, name: "twenty-one" },
  ]);
  const [first, second] = await db.batch([
    db.update(people).set({ name: "20" }).where(drizzleSql`id = 20`).returning(),
    db.select({ count: drizzleSql`count(*)::int` }).from(people).where(drizzleSql`id between 20 and 21`),
  ]);
  assert.deepEqual([first, second], [[{ id: 20, name: "20" }], [{ count: 2 }]]);
});

test("kysely works unchanged", async () => {
  const db = new Kysely({ dialect: new NeonDialect({ neon: neon(connectionString) }) });
  await db.insertInto("serverless_people").values({ id: 30, name: "thirty" }).execute();
  assert.deepEqual(await db.selectFrom("serverless_people").selectAll().where("id", "=", 30).execute(), [
    { id: 30, name: "thirty" },
  ]);
  const deleted = await db.deleteFrom("serverless_people").where("id", "=", 30).executeTakeFirst();
  assert.equal(deleted.numDeletedRows, 1n);
});

// ---- over WebSocket

test("a client over WebSocket has a session: transactions, settings, errors, long rows", async () => {
  const client = new Client(connectionString);
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query("SET LOCAL work_mem = '77MB'");
    assert.deepEqual((await client.query("SHOW work_mem")).rows, [{ work_mem: "77MB" }]);
    await client.query("INSERT INTO serverless_people VALUES ($1, $2)", [40, "forty"]);
    await client.query("ROLLBACK");
    assert.deepEqual((await client.query("SELECT 1 FROM serverless_people WHERE id = 40")).rows, []);
    await assert.rejects(client.query("SELECT 1/0"), { code: "22012" });
    const long = "x".repeat(300000);
    assert.equal((await client.query("SELECT $1::text AS long", [long])).rows[0].long, long);
    assert.equal((await client.query("SELECT i FROM generate_series(1, 50000) AS i")).rows.length, 50000);
  } finally {
    await client.end();
  }
});

test("a pool over WebSocket shares the domain's connections", async () => {
  const pool = new Pool({ connectionString, max: 20 });
  try {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => pool.query("SELECT $1::int AS n", [i])));
    assert.deepEqual(
      answers.map((answer) => answer.rows[0].n),
      Array.from({ length: 100 }, (_, i) => i),
    );
  } finally {
    await pool.end();
  }
});

test("a wrong password is refused over WebSocket", async () => {
  for (const wrong of [connectionString.replace(/:[^:@/]+@/, ":wrong@"), connectionString.replace("serverless:", "nobody:")]) {
    const client = new Client(wrong);
    client.on("error", () => {});
    // the driver sends the password at once and calls that connected
    await assert.rejects(
      client.connect().then(() => client.query("SELECT 1")),
      /password authentication failed/,
    );
  }
});

test("drizzle has interactive transactions over WebSocket", async () => {
  const pool = new Pool({ connectionString });
  try {
    const db = drizzleOverSockets(pool);
    await assert.rejects(
      db.transaction(async (transaction) => {
        await transaction.execute(drizzleSql`INSERT INTO serverless_people VALUES (50, 'fifty')`);
        transaction.rollback();
      }),
    );
    const found = await db.execute(drizzleSql`SELECT id FROM serverless_people WHERE id = 50`);
    assert.deepEqual(found.rows, []);
  } finally {
    await pool.end();
  }
});

test("kysely has interactive transactions over WebSocket", async () => {
  const db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ connectionString }) }) });
  try {
    await assert.rejects(
      db.transaction().execute(async (transaction) => {
        await transaction.insertInto("serverless_people").values({ id: 60, name: "sixty" }).execute();
        const within = await transaction.selectFrom("serverless_people").selectAll().where("id", "=", 60).execute();
        assert.deepEqual(within, [{ id: 60, name: "sixty" }]);
        throw new Error("rolled back on purpose");
      }),
      /rolled back on purpose/,
    );
    const found = await db.selectFrom("serverless_people").select("id").where("id", "=", 60).execute();
    assert.deepEqual(found, []);
  } finally {
    await db.destroy();
  }
});
